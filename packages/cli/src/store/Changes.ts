/**
 * Waiting for what other processes write (R14).
 */
import { defaults, Store } from "@muster/core"
import * as Effect from "effect/Effect"

/**
 * Returns when the store's token is no longer `token`, the last one that was read.
 *
 * @param isWanted false ends the waiting without a change
 */
export const awaitChange = Effect.fnUntraced(function* (
  token: number,
  isWanted: Effect.Effect<boolean> = Effect.succeed(true)
) {
  const store = yield* Store
  do yield* Effect.sleep(defaults.changedMillis)
  while ((yield* isWanted) && (yield* store.changed) === token)
})
