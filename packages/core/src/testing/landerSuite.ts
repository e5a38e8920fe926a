/**
 * The conformance suite of the Lander contract (ports/Lander.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { Lander, LandingOrder } from "../ports/Lander.ts"

export interface LanderUnderTest {
  readonly lander: Lander
  readonly order: LandingOrder
  /** Another order that can land beside the first. */
  readonly other: LandingOrder
  /** An order that conflicts, and whether the target is still as it was. Needed if the options say `canConflict`. */
  readonly conflict?: {
    readonly order: LandingOrder
    readonly isTargetUntouched: Effect.Effect<boolean, unknown>
  }
}

export interface LanderSuiteOptions {
  /** For each test, in milliseconds; 30,000 unless set. */
  readonly timeout?: number
  /** True for a lander that does nothing outside the store: there an order counts as landed from the beginning. Default false. */
  readonly landsInStore?: boolean
  /** True for a lander whose target can move. Default false. */
  readonly canConflict?: boolean
}

/** Registers the tests that every lander must pass. */
export const landerSuite = (
  name: string,
  acquire: Effect.Effect<LanderUnderTest, unknown, Scope.Scope>,
  options: LanderSuiteOptions = {}
): void => {
  const test = (title: string, truth: (subject: LanderUnderTest) => Effect.Effect<unknown, unknown>) =>
    it.live(title, () => Effect.scoped(Effect.flatMap(acquire, truth)), options.timeout ?? 30_000)
  const land = ({ lander }: LanderUnderTest, order: LandingOrder) => Effect.scoped(lander.land(order))
  const check = ({ lander }: LanderUnderTest, order: LandingOrder) => Effect.scoped(lander.check(order))

  describe(`${name} keeps the Lander contract`, () => {
    test("lands an order, and knows it afterwards", (subject) =>
      Effect.gen(function* () {
        assert.propertyVal(yield* land(subject, subject.order), "_tag", "Landed")
        assert.strictEqual(yield* check(subject, subject.order), "landed")
      }))

    test("lands once: the same order again answers the same and changes nothing", (subject) =>
      Effect.gen(function* () {
        const first = yield* land(subject, subject.order)
        assert.deepStrictEqual(yield* land(subject, subject.order), first)
        assert.strictEqual(yield* check(subject, subject.order), "landed")
      }))

    if (options.landsInStore !== true)
      test("never takes an order for landed that it has not landed", (subject) =>
        Effect.gen(function* () {
          assert.notStrictEqual(yield* check(subject, subject.order), "landed")
          yield* land(subject, subject.order)
          assert.notStrictEqual(yield* check(subject, subject.other), "landed")
        }))

    test("lands orders beside each other", (subject) =>
      Effect.gen(function* () {
        yield* Effect.forEach([subject.order, subject.other], (order) => land(subject, order), {
          concurrency: "unbounded"
        })
        assert.strictEqual(yield* check(subject, subject.order), "landed")
        assert.strictEqual(yield* check(subject, subject.other), "landed")
      }))

    if (options.canConflict === true)
      test("answers a conflict as an outcome and leaves the target as it is", (subject) =>
        Effect.gen(function* () {
          const { conflict } = subject
          if (conflict === undefined) assert.fail("give an order that conflicts")
          assert.propertyVal(yield* land(subject, conflict.order), "_tag", "Conflict")
          assert.isTrue(yield* conflict.isTargetUntouched)
          assert.notStrictEqual(yield* check(subject, conflict.order), "landed")
        }))
  })
}
