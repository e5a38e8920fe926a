/**
 * The conformance suite of the Gate contract (ports/Gate.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, type Scope } from "effect"
import type { Gate } from "../ports/Gate.ts"
import type { Assignment } from "../ports/Runner.ts"

/** What a gate is asked: an assignment and its encoded result, JSON text. */
export interface GateQuestion {
  readonly assignment: Assignment
  readonly result: string
}

export interface GateUnderTest {
  readonly gate: Gate
  readonly passes: GateQuestion
  readonly rejects: GateQuestion
  /** A question to which there is no verdict: a missing program, a service that is away. Needed unless the options say `canBreak: false`. */
  readonly breaks?: { readonly gate: Gate; readonly question: GateQuestion }
}

export interface GateSuiteOptions {
  /** For each test, in milliseconds; 30,000 unless set. */
  readonly timeout?: number
  /** False for a gate that needs nothing that could be missing. Default true. */
  readonly canBreak?: boolean
}

const reasonBytes = 1_024

const ask = (gate: Gate, { assignment, result }: GateQuestion) =>
  Effect.scoped(gate.check(assignment, result))

/** Registers the tests that every gate must pass. */
export const gateSuite = (
  name: string,
  acquire: Effect.Effect<GateUnderTest, unknown, Scope.Scope>,
  options: GateSuiteOptions = {}
): void => {
  const test = (title: string, truth: (subject: GateUnderTest) => Effect.Effect<unknown, unknown>) =>
    it.live(title, () => Effect.scoped(Effect.flatMap(acquire, truth)), options.timeout ?? 30_000)

  describe(`${name} keeps the Gate contract`, () => {
    test("passes good work", ({ gate, passes }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* ask(gate, passes), { _tag: "Pass" })
      }))

    test("rejects bad work as an outcome, with reasons for the next attempt", ({ gate, rejects }) =>
      Effect.gen(function* () {
        const verdict = yield* ask(gate, rejects)
        const reasons = verdict._tag === "Reject" ? verdict.reasons : []
        assert.isNotEmpty(reasons)
        for (const reason of reasons) {
          assert.isNotEmpty(reason)
          assert.isAtMost(new TextEncoder().encode(reason).length, reasonBytes)
        }
      }))

    test("judges the same work the same way, again and many at once: it changes nothing", (subject) =>
      Effect.gen(function* () {
        const { gate, passes, rejects } = subject
        const first = yield* ask(gate, rejects)
        const questions = [rejects, passes, rejects, passes]
        const verdicts = yield* Effect.forEach(questions, (question) => ask(gate, question), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(verdicts, [first, { _tag: "Pass" }, first, { _tag: "Pass" }])
      }))

    test("can be interrupted and asked again", ({ gate, passes }) =>
      Effect.gen(function* () {
        const fiber = yield* ask(gate, passes).pipe(Effect.forkChild({ startImmediately: true }))
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* ask(gate, passes), { _tag: "Pass" })
      }))

    if (options.canBreak ?? true)
      test("fails where it can't judge: a broken gate has neither passed nor rejected", ({ breaks }) =>
        Effect.gen(function* () {
          if (breaks === undefined) assert.fail("give a question that breaks it, or say canBreak: false")
          const exit = yield* Effect.exit(ask(breaks.gate, breaks.question))
          assert.isTrue(Exit.hasFails(exit), String(exit))
        }))
  })
}
