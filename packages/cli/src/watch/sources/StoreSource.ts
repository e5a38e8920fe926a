/**
 * The board over the store alone: a look when the store has changed, and one a second for what only time changes. What agents say is known to
 * their hosts alone.
 */
import { Store } from "@muster/core"
import { Effect, Stream } from "effect"
import type { BoardSource } from "../BoardSource.ts"
import type { FleetLook } from "../FleetLook.ts"
import { jobStory } from "./JobStory.ts"
import { storeActions } from "./StoreActions.ts"
import * as StoreLook from "./StoreLook.ts"

const pollMillis = 1_000

/** Says of a look what its readers miss in it. */
const noticed = (look: FleetLook): FleetLook => ({
  ...look,
  notice: look.hosts.some(({ beating }) => beating)
    ? "no host answers here: what agents say isn't known, the rest is what the store says"
    : look.notice
})

export const make = Effect.gen(function* () {
  const store = yield* Store
  const { read } = yield* StoreLook.make
  let last: FleetLook | null = null
  const look = read.pipe(
    Effect.provideService(Store, store),
    Effect.map((found) => {
      last = noticed(found)
      return last
    }),
    // a look that fails is the last one with a word about it
    Effect.catch((error) =>
      Effect.succeed(last === null ? null : { ...last, notice: `the store can't be read: ${error.message}` })
    )
  )
  const source: BoardSource = {
    looks: Stream.fromEffect(look).pipe(
      Stream.concat(Stream.forever(Stream.fromEffect(Effect.delay(look, pollMillis)))),
      Stream.filter((found) => found !== null)
    ),
    log: (jobId) => jobStory(store, jobId),
    actions: storeActions(store)
  }
  return source
})
