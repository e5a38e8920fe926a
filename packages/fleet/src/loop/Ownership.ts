/**
 * Whether this host still owns what it owns. The store says so with each commit and each renewal; a host that was stopped or slept beyond its
 * lease asks again before it begins anything outside (R20).
 */
import { type HostFenced, type HostRow, Store, type StoreBroken } from "@muster/core"
import { Clock, Effect } from "effect"
import { instant, monotonic } from "../Instant.ts"
import { patiently } from "./Host.ts"
import { type Trouble, waitMillis } from "./Trouble.ts"

/** When the store was asked, by both clocks: one stands still while the machine sleeps, the other may be set. */
export interface Asked {
  readonly wall: number
  readonly monotonic: number
}

export const make = Effect.fnUntraced(function* (self: HostRow, leaseMillis: number, trouble: Trouble) {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const asking = (): Asked => ({
    wall: clock.currentTimeMillisUnsafe(),
    monotonic: monotonic(clock)
  })
  let confirmed = asking()

  const isFresh = (): boolean => {
    const now = asking()
    return now.wall - confirmed.wall < leaseMillis && now.monotonic - confirmed.monotonic < leaseMillis
  }

  /** Renews the lease once, and answers the host's row. */
  const renew: Effect.Effect<HostRow, HostFenced | StoreBroken> = Effect.suspend(() => {
    const asked = asking()
    return Effect.tap(
      patiently(store.renew({ host: self.host, epoch: self.epoch, at: instant(clock) })),
      Effect.sync(() => {
        confirmed = asked
      })
    )
  })

  /** Returns when the store has said, within a lease, that this host stands; waits for a store that is in trouble (R21). */
  const confirm: Effect.Effect<void, HostFenced> = Effect.gen(function* () {
    while (!isFresh() || trouble.now() !== null) {
      const wait = yield* renew.pipe(
        Effect.andThen(trouble.over("lease")),
        // The loop may be in trouble still: nothing begins before it has committed.
        Effect.as(waitMillis(1)),
        Effect.catchTag("ORCH_STORE_BROKEN", (error) => trouble.met("lease", error))
      )
      if (trouble.now() !== null) yield* Effect.sleep(wait)
    }
  })

  return {
    /** Taken before the store is asked: what it answers was true then. */
    asking,
    /** The store has answered a question of that moment. */
    confirmed: (asked: Asked): void => {
      confirmed = asked
    },
    isFresh,
    renew,
    confirm
  }
})

export type Ownership = Effect.Success<ReturnType<typeof make>>
