/**
 * Runs the plugins that only look: observers over the live events, facets at their tempo. Neither can veto, fail or slow anything;
 * what they raise is logged with their name.
 */
import { type Facet, type FleetGlance, type Observer, type StoreFailure } from "@muster/core"
import { Effect, Stream } from "effect"
import type { EventFeed } from "../jobs/EventFeed.ts"
import { readReflection } from "./Answers.ts"
import { ask, fence } from "./Fence.ts"

/** Hands the events after `after` to one observer until it raises something: then it is cut off. */
const observe = (observer: Observer, feed: EventFeed, after: number) =>
  feed.events(after, null).pipe(
    Stream.runForEachArray((events) =>
      fence(observer.name, "Observer.observe", () => observer.observe(events))
    ),
    Effect.catch((error) => Effect.logError(`observer ${observer.name} is cut off`, error))
  )

/** Asks one facet at its tempo; its answer is for the operator. */
const reflect = (facet: Facet, glance: Effect.Effect<FleetGlance, StoreFailure>) =>
  Effect.gen(function* () {
    const now = yield* glance
    const said = yield* ask(facet.name, "Facet.reflect", () => facet.reflect(now), readReflection)
    if (said !== null) yield* Effect.logWarning(`${facet.name}: ${said}`)
  }).pipe(
    Effect.catch((error) => Effect.logError(`facet ${facet.name} failed`, error)),
    Effect.andThen(Effect.sleep(facet.tempoMillis)),
    Effect.forever
  )

/** Starts them all in this scope; observers see what comes after `after`. */
export const start = Effect.fnUntraced(function* (
  observers: ReadonlyArray<Observer>,
  facets: ReadonlyArray<Facet>,
  feed: EventFeed,
  after: number,
  glance: Effect.Effect<FleetGlance, StoreFailure>
) {
  yield* Effect.forEach(observers, (observer) => Effect.forkScoped(observe(observer, feed, after)), {
    discard: true
  })
  yield* Effect.forEach(facets, (facet) => Effect.forkScoped(reflect(facet, glance)), { discard: true })
})
