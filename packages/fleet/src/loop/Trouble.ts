/**
 * Trouble with the store: a full disk, a broken medium. While it lasts nothing is dispatched, landed or killed (R21): nobody else can take
 * over either. It is told aloud, shown in the snapshot, and over as soon as the store answers.
 */
import type { StoreBroken } from "@muster/core"
import { Clock, Effect } from "effect"
import { instant } from "../Instant.ts"

export interface StoreTrouble {
  /** Epoch ms of the first failure. */
  readonly since: number
  /** The operation of the store that failed. */
  readonly operation: string
  /** What the store said last. */
  readonly detail: string
}

/** Between two words about the same trouble, in milliseconds. */
const tellMillis = 30_000

/** The longest wait before the store is asked again, in milliseconds, and the first one. */
const waits = { first: 100, most: 5_000 }

/** How long to wait after so many failures in a row. */
export const waitMillis = (failures: number): number =>
  Math.min(waits.most, waits.first * 2 ** Math.min(failures - 1, 16))

/** Who talks with the store: the loop, or the renewal of the lease. Each has its own trouble with it. */
export type Speaker = "loop" | "lease"

export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const at = () => instant(clock)
  const troubles = new Map<Speaker, { readonly trouble: StoreTrouble; readonly failures: number }>()
  let toldAt = Number.NEGATIVE_INFINITY

  /** The oldest. */
  const now = (): StoreTrouble | null => {
    if (troubles.size === 0) return null
    return (
      Array.from(troubles.values(), ({ trouble }) => trouble).toSorted((a, b) => a.since - b.since)[0] ?? null
    )
  }

  return {
    /** Null: the store answers. */
    now,
    /** The store has failed; answers how long to wait before it is asked again, in milliseconds. */
    met: Effect.fnUntraced(function* (who: Speaker, { detail, operation }: StoreBroken) {
      const before = troubles.get(who)
      const failures = (before?.failures ?? 0) + 1
      const trouble = { since: before?.trouble.since ?? at(), operation, detail }
      troubles.set(who, { trouble, failures })
      if (at() - toldAt >= tellMillis) {
        toldAt = at()
        yield* Effect.logError(
          `the store doesn't answer (${operation}): ${detail}. Nothing is dispatched or landed until it does; agents go on.`
        )
      }
      return waitMillis(failures)
    }),
    /** The store has answered. */
    over: (who: Speaker): Effect.Effect<void> =>
      Effect.suspend(() => {
        const trouble = now()
        if (trouble === null) return Effect.void
        troubles.delete(who)
        if (troubles.size > 0) return Effect.void
        toldAt = Number.NEGATIVE_INFINITY
        return Effect.logWarning(`the store answers again, after ${at() - trouble.since} ms; work goes on`)
      })
  }
})

export type Trouble = Effect.Success<typeof make>
