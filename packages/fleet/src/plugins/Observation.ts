/**
 * Runs the plugins that only watch: observers over the live events. None can veto, fail or slow anything; what they raise is logged with
 * their name.
 */
import type { Observer } from "@muster/core"
import { Effect, Stream } from "effect"
import type { EventFeed } from "../jobs/EventFeed.ts"
import { fence } from "./Fence.ts"

/** Hands the events after `after` to one observer until it raises something: then it is cut off. */
const observe = (observer: Observer, feed: EventFeed, after: number) =>
  feed.events(after, null).pipe(
    Stream.runForEachArray((events) =>
      fence(observer.name, "Observer.observe", () => observer.observe(events))
    ),
    Effect.catch((error) => Effect.logError(`observer ${observer.name} is cut off`, error))
  )

/** Starts them all in this scope; they see what comes after `after`. */
export const start = (observers: ReadonlyArray<Observer>, feed: EventFeed, after: number) =>
  Effect.forEach(observers, (observer) => Effect.forkScoped(observe(observer, feed, after)), {
    discard: true
  })
