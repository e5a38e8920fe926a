/**
 * The conformance suite of the Runner contract (ports/Runner.ts). A runner author's whole test file is `runnerSuite("mine", acquire)`, where
 * `acquire` makes the runner in a scope and says which assignments show which ending.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Scope } from "effect"
import type { Markers } from "../ports/Markers.ts"
import type { AgentEvent, Assignment, Runner } from "../ports/Runner.ts"
import { recordMail } from "./mail.ts"
import { recordMarkers } from "./markers.ts"

export interface RunnerUnderTest {
  readonly runner: Runner
  /** Ends with this result. Run several times, also at once. */
  readonly succeeds: { readonly assignment: Assignment; readonly result: unknown }
  /** Ends with a typed failure of this code. */
  readonly fails: { readonly assignment: Assignment; readonly code: string }
  /** Ends without a contract: throws, dies by a signal. */
  readonly crashes: Assignment
  /** Emits this event, then ends. */
  readonly speaks: { readonly assignment: Assignment; readonly event: AgentEvent }
  /** Emits an event once it works, and then works for ever. `isWorking`: whether any of its work still goes on, seen from outside. */
  readonly neverEnds: { readonly assignment: Assignment; readonly isWorking: Effect.Effect<boolean> }
  /**
   * Does one step under this name, once (R28), and ends with the step's result, which is JSON data. Left out: its agents have no way to
   * mark a step. `waits`: whether the step waits until its start is durable.
   */
  readonly marks?: {
    readonly assignment: Assignment
    readonly name: string
    readonly result: unknown
    readonly waits: boolean
  }
}

export interface RunnerSuiteOptions {
  /** For each test, in milliseconds; 30,000 unless set. */
  readonly timeout?: number
}

const ignore = () => undefined

const started = Effect.fnUntraced(function* ({ neverEnds, runner }: RunnerUnderTest) {
  const sign = yield* Deferred.make<AgentEvent>()
  const fiber = yield* runner
    .run(
      neverEnds.assignment,
      (event) => {
        Deferred.doneUnsafe(sign, Exit.succeed(event))
      },
      recordMarkers().markers,
      recordMail().mail
    )
    .pipe(Effect.scoped, Effect.forkChild)
  yield* Effect.raceFirst(Deferred.await(sign), Fiber.join(fiber))
  return fiber
})

/** Registers the tests that every runner must pass. */
export const runnerSuite = (
  name: string,
  acquire: Effect.Effect<RunnerUnderTest, unknown, Scope.Scope>,
  options: RunnerSuiteOptions = {}
): void => {
  const test = (title: string, truth: (subject: RunnerUnderTest) => Effect.Effect<unknown, unknown>) =>
    it.live(title, () => Effect.scoped(Effect.flatMap(acquire, truth)), options.timeout ?? 30_000)
  const run = (
    { runner }: RunnerUnderTest,
    assignment: Assignment,
    markers: Markers = recordMarkers().markers
  ) => Effect.scoped(runner.run(assignment, ignore, markers, recordMail().mail))

  describe(`${name} keeps the Runner contract`, () => {
    test("has a name", ({ runner }) => Effect.sync(() => assert.isNotEmpty(runner.name)))

    test("ends with the result", (subject) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* run(subject, subject.succeeds.assignment), subject.succeeds.result)
      }))

    test("runs one assignment again, and many at once, without mixing them up", (subject) =>
      Effect.gen(function* () {
        const runs = Array.from({ length: 4 }, () => run(subject, subject.succeeds.assignment))
        const results = yield* Effect.all(runs, { concurrency: "unbounded" })
        for (const result of results) assert.deepStrictEqual(result, subject.succeeds.result)
      }))

    test("keeps the code of a typed failure", (subject) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(run(subject, subject.fails.assignment))
        assert.propertyVal(error, "_tag", subject.fails.code)
      }))

    test("ends when the agent crashes: a failure, neither a hang nor an interruption", (subject) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(run(subject, subject.crashes))
        assert.isTrue(Exit.hasFails(exit) || Exit.hasDies(exit), String(exit))
      }))

    test("hands on what the agent says", (subject) =>
      Effect.gen(function* () {
        const events: Array<AgentEvent> = []
        yield* Effect.scoped(
          subject.runner.run(
            subject.speaks.assignment,
            (event) => {
              events.push(event)
            },
            recordMarkers().markers,
            recordMail().mail
          )
        )
        assert.deepInclude(events, subject.speaks.event)
      }))

    test("writes a step before it is done and with its result after, and gives a finished one back (R28)", (subject) =>
      Effect.gen(function* () {
        const { marks } = subject
        if (marks === undefined) return
        const { asked, markers } = recordMarkers()
        assert.deepStrictEqual(yield* run(subject, marks.assignment, markers), marks.result)
        const written = [`start ${marks.name}`, `finish ${marks.name} ${JSON.stringify(marks.result)}`]
        assert.deepStrictEqual(asked, written)
        const later = recordMarkers({ finished: { [marks.name]: JSON.stringify(marks.result) } })
        assert.deepStrictEqual(yield* run(subject, marks.assignment, later.markers), marks.result)
        assert.deepStrictEqual(later.asked, [], "a finished step is not begun again")
      }))

    test("does no step whose start is refused", (subject) =>
      Effect.gen(function* () {
        const { marks } = subject
        if (marks?.waits !== true) return
        const { asked, markers } = recordMarkers({ refuses: true })
        const exit = yield* Effect.exit(run(subject, marks.assignment, markers))
        assert.isFalse(Exit.isSuccess(exit))
        assert.deepStrictEqual(asked, [`start ${marks.name}`])
      }))

    test("stops when it is interrupted, and nothing outlives its scope", (subject) =>
      Effect.gen(function* () {
        const fiber = yield* started(subject)
        assert.isTrue(yield* subject.neverEnds.isWorking, "the agent has begun")
        yield* Fiber.interrupt(fiber)
        assert.isFalse(yield* subject.neverEnds.isWorking, "the agent has been stopped")
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      }))

    test("can be interrupted before it has said anything", (subject) =>
      Effect.gen(function* () {
        const fiber = yield* run(subject, subject.neverEnds.assignment).pipe(
          Effect.forkChild({ startImmediately: true })
        )
        yield* Fiber.interrupt(fiber)
        assert.isFalse(yield* subject.neverEnds.isWorking)
      }))

    test("works again after an interruption", (subject) =>
      Effect.gen(function* () {
        yield* Fiber.interrupt(yield* started(subject))
        assert.deepStrictEqual(yield* run(subject, subject.succeeds.assignment), subject.succeeds.result)
      }))
  })
}
