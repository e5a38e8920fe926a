/**
 * The conformance suite of the Observer contract (ports/Observer.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import type { LifecycleEvent } from "../domain/LifecycleEvent.ts"
import type { Observer } from "../ports/Observer.ts"
import { lifecycleEvents } from "./lifecycleEvents.ts"

export interface ObserverUnderTest {
  readonly observer: Observer
  /**
   * Whether the observer has shown this event to whoever it shows events: a file, a metric, a service. Left out for one that picks
   * events for itself; then only its manners are tested.
   */
  readonly hasShown?: (event: LifecycleEvent) => Effect.Effect<boolean, unknown>
}

export interface ObserverSuiteOptions {
  /** For each test, in milliseconds; 30,000 unless set. */
  readonly timeout?: number
}

const frozen = (events: ReadonlyArray<LifecycleEvent>): ReadonlyArray<LifecycleEvent> =>
  Object.freeze(events.map((event) => Object.freeze({ ...event })))

/** Registers the tests that every observer must pass. */
export const observerSuite = (
  name: string,
  acquire: Effect.Effect<ObserverUnderTest, unknown, Scope.Scope>,
  options: ObserverSuiteOptions = {}
): void => {
  const test = (title: string, truth: (subject: ObserverUnderTest) => Effect.Effect<unknown, unknown>) =>
    it.live(title, () => Effect.scoped(Effect.flatMap(acquire, truth)), options.timeout ?? 30_000)

  describe(`${name} keeps the Observer contract`, () => {
    test("has a name", ({ observer }) => Effect.sync(() => assert.isNotEmpty(observer.name)))

    test("takes every event that a fleet writes, those without a job too, and changes none", ({ observer }) =>
      observer.observe(frozen(lifecycleEvents())))

    test("takes them one by one as well as all at once, and none at all", ({ observer }) =>
      Effect.gen(function* () {
        yield* observer.observe([])
        for (const event of frozen(lifecycleEvents())) yield* observer.observe([event])
      }))

    test("shows what it was told, and nothing else", ({ hasShown, observer }) =>
      Effect.gen(function* () {
        const [told, untold] = [frozen(lifecycleEvents("toldto")), frozen(lifecycleEvents("untold"))]
        yield* observer.observe(told)
        if (hasShown === undefined) return
        for (const event of told) assert.isTrue(yield* hasShown(event), `${event.event} is not shown`)
        for (const event of untold) assert.isFalse(yield* hasShown(event), `${event.event} is shown`)
      }))

    test("can be interrupted and told again", ({ hasShown, observer }) =>
      Effect.gen(function* () {
        const fiber = yield* observer
          .observe(frozen(lifecycleEvents("first0")))
          .pipe(Effect.forkChild({ startImmediately: true }))
        yield* Fiber.interrupt(fiber)
        const again = frozen(lifecycleEvents("second"))
        yield* observer.observe(again)
        for (const event of again) assert.isTrue(hasShown === undefined || (yield* hasShown(event)))
      }))
  })
}
