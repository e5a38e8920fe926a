/**
 * The events of the store as a stream: from a durable cursor on, then live. Read from the store, so that nothing is missed or
 * reordered, whichever host wrote it; a slow reader lags and slows nobody.
 */
import { type LifecycleEvent, Store, type StoreFailure } from "@muster/core"
import { Clock, Effect, Option, PubSub, Stream } from "effect"
import { patiently } from "../loop/Host.ts"

const pageSize = 500

export const make = Effect.gen(function* () {
  const store = yield* Store
  const news = yield* PubSub.sliding<void>(1)

  /** Events after the cursor, then those to come; of one job (by number) or of all. */
  const events = (after: number, job: number | null): Stream.Stream<LifecycleEvent, StoreFailure> =>
    Stream.unwrap(
      Effect.map(PubSub.subscribe(news), (subscription) =>
        Stream.paginate(after, (cursor: number) =>
          Effect.gen(function* () {
            const page = yield* patiently(
              store.events({ job, after: cursor, limit: pageSize, order: "ascending" })
            )
            if (page.length === 0) yield* PubSub.take(subscription)
            return [page, Option.some(page.at(-1)?.sequence ?? cursor)] as const
          })
        )
      )
    )

  /** The sequence of the last event. */
  const latest = Effect.gen(function* () {
    const { sequence } = yield* patiently(store.tally(yield* Clock.currentTimeMillis))
    return sequence
  })

  return {
    latest,
    announce: (): void => {
      PubSub.publishUnsafe(news, undefined)
    },
    /** `after` left out: from now on. */
    events: (after: number | undefined, job: number | null): Stream.Stream<LifecycleEvent, StoreFailure> =>
      after === undefined
        ? Stream.unwrap(Effect.map(latest, (sequence) => events(sequence, job)))
        : events(after, job)
  }
})

export type EventFeed = Effect.Success<typeof make>
