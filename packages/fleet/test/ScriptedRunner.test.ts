// The fake runner is a runner: what holds for it in a test holds for real ones.
import { assert, describe, it } from "@effect/vitest"
import {
  assignment,
  recordMail,
  recordMarkers,
  runnerSuite,
  type RunnerUnderTest,
  ScriptedRunner
} from "@muster/core/testing"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"

const {
  beat,
  cleanUpFor,
  cleanUpUntil,
  die,
  emit,
  fail,
  insistUntil,
  interruptItself,
  sleep,
  succeed,
  waitFor
} = ScriptedRunner

const ignore = () => undefined

const scripts: { readonly [jobId: string]: ReadonlyArray<ScriptedRunner.Step> } = {
  succeeds: [beat, succeed({ n: 1 })],
  fails: [fail("DQ_NO_ROWS")],
  crashes: [die(new Error("a bare exception"))],
  speaks: [emit({ _tag: "Progress", message: "half of it", fraction: 0.5 })],
  lives: [beat, waitFor("never")],
  insists: [insistUntil("done"), succeed(1)],
  cleans: [cleanUpUntil("clean"), fail("EXT_X")],
  sleeps: [sleep("1 minute"), succeed(1)],
  stops: [interruptItself]
}

const scripted = () => ScriptedRunner.make(({ jobId }) => scripts[jobId] ?? [])
const job = (jobId: string) => assignment({ jobId })

runnerSuite(
  "ScriptedRunner",
  Effect.sync(() => {
    const { living, runner } = scripted()
    return {
      runner,
      succeeds: { assignment: job("succeeds"), result: { n: 1 } },
      fails: { assignment: job("fails"), code: "DQ_NO_ROWS" },
      crashes: job("crashes"),
      speaks: {
        assignment: job("speaks"),
        event: { _tag: "Progress", message: "half of it", fraction: 0.5 }
      },
      neverEnds: { assignment: job("lives"), isWorking: Effect.sync(() => living() > 0) }
    } satisfies RunnerUnderTest
  })
)

const run = ({ runner }: ScriptedRunner.ScriptedRunner, jobId: string) =>
  Effect.scoped(runner.run(job(jobId), ignore, recordMarkers().markers, recordMail().mail))
const forked = (fake: ScriptedRunner.ScriptedRunner, jobId: string) =>
  Effect.forkChild(run(fake, jobId), { startImmediately: true })
const told = ({ journal }: ScriptedRunner.ScriptedRunner) => journal.map(({ what }) => what)

describe("ScriptedRunner", () => {
  it.effect("waits at a gate until the test releases it", () =>
    Effect.gen(function* () {
      const fake = ScriptedRunner.make(() => [waitFor("gate"), succeed(1)])
      const fiber = yield* forked(fake, "any")
      assert.deepStrictEqual(told(fake), ["started"])
      yield* fake.release("gate")
      assert.strictEqual(yield* Fiber.join(fiber), 1)
      assert.strictEqual(yield* run(fake, "later"), 1)
    })
  )

  it.effect("refuses to be interrupted for as long as it insists", () =>
    Effect.gen(function* () {
      const fake = scripted()
      const fiber = yield* forked(fake, "insists")
      fiber.interruptUnsafe()
      yield* Effect.yieldNow
      assert.strictEqual(fake.living(), 1)
      yield* fake.release("done")
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      assert.deepStrictEqual(told(fake), ["started", "interrupted", "released"])
    })
  )

  it.effect("holds its scope open while it cleans up", () =>
    Effect.gen(function* () {
      const fake = scripted()
      const fiber = yield* forked(fake, "cleans")
      assert.deepStrictEqual(told(fake), ["started", "failed"])
      yield* fake.release("clean")
      yield* Fiber.await(fiber)
      assert.deepStrictEqual(told(fake), ["started", "failed", "released"])
    })
  )

  it.effect("sleeps, and cleans up, on the clock of the test", () =>
    Effect.gen(function* () {
      const fake = ScriptedRunner.make(() => [cleanUpFor("1 minute"), sleep("1 minute"), succeed(1)])
      const slow = yield* forked(fake, "any")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(told(fake), ["started", "succeeded"])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(slow), 1)
      const fiber = yield* forked(scripted(), "sleeps")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Fiber.join(fiber), 1)
    })
  )

  it.effect("keeps a journal, counts the living, and says when something has happened", () =>
    Effect.gen(function* () {
      const fake = scripted()
      const seen = yield* Effect.forkChild(
        fake.until((journal) => journal.some(({ what }) => what === "died"))
      )
      const second = yield* Effect.forkChild(fake.started(2))
      const lives = yield* forked(fake, "lives")
      yield* Effect.exit(run(fake, "crashes"))
      yield* Effect.exit(run(fake, "stops"))
      yield* Fiber.join(seen)
      assert.strictEqual((yield* Fiber.join(second)).jobId, "crashes")
      assert.deepStrictEqual([fake.living(), fake.peak()], [1, 2])
      assert.strictEqual(fake.starts("lives").length, 1)
      assert.include(told(fake), "interrupted")
      yield* Fiber.interrupt(lives)
      assert.strictEqual(fake.living(), 0)
    })
  )
})
