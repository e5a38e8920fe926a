/**
 * Scarcity (R13): while the disk of the store or the memory of the machine is below its floor, no new job is taken. What runs goes on and
 * lands: it may be what frees them.
 */
import { ConfigInvalid } from "@muster/core"
import { Effect } from "effect"
import { type Left, Resources } from "../adapters/Resources.ts"

/** Bytes below which something is scarce; left out or 0: never. */
export interface Floors {
  /** Of the disk that the store is on. */
  readonly disk?: number
  /** Of the machine's memory. */
  readonly memory?: number
}

export type Scarce = keyof Left

/** Between two looks, in milliseconds. */
const everyMillis = 1_000

/** More than the floor by this must be left before work goes on: what hovers about it doesn't flutter. */
const ease = 1.1

const kinds = ["disk", "memory"] as const

/** The floors that the options set. */
export const floorsOf = Effect.fnUntraced(function* (floors: Floors = {}) {
  for (const kind of kinds) {
    const floor = floors[kind] ?? 0
    if (!Number.isSafeInteger(floor) || floor < 0)
      return yield* new ConfigInvalid({
        path: `floors.${kind}`,
        detail: `${floor} is no whole number of bytes`
      })
  }
  return { disk: floors.disk ?? 0, memory: floors.memory ?? 0 }
})

/** What is scarce, given what was before; null: nothing. */
export const scarceOf = (left: Left, floors: Required<Floors>, before: Scarce | null): Scarce | null =>
  kinds.find((kind) => {
    const has = left[kind]
    return has !== null && has < floors[kind] * (before === kind ? ease : 1)
  }) ?? null

/** Looks at them until it is interrupted. `tell`: of each change. */
export const watch = Effect.fnUntraced(function* (
  store: string,
  floors: Required<Floors>,
  tell: (scarce: Scarce | null) => void
) {
  if (floors.disk === 0 && floors.memory === 0) return
  const resources = yield* Resources
  for (let scarce: Scarce | null = null; ;) {
    const now = scarceOf(yield* resources.look(store), floors, scarce)
    if (now !== scarce) {
      tell(now)
      yield* now === null
        ? Effect.logInfo(`there is enough of the ${scarce} again: new jobs are taken`)
        : Effect.logWarning(
            `the ${now} is below its floor of ${floors[now]} bytes: no new job is taken until it is not`
          )
    }
    scarce = now
    yield* Effect.sleep(everyMillis)
  }
})
