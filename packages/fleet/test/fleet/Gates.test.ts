// The definition of done: gates that pass, reject, break, and answer nonsense.
import { assert, describe, it } from "@effect/vitest"
import type { Assignment, Gate, Verdict } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { succeed } = ScriptedRunner

type Answer = Effect.Effect<Verdict, unknown>

const pass: Answer = Effect.succeed({ _tag: "Pass" })
const reject = (...reasons: ReadonlyArray<string>): Answer => Effect.succeed({ _tag: "Reject", reasons })

/** A gate that answers one after the other, the last answer again and again, and notes what it was asked. */
const gateOf = (name: string, ...answers: ReadonlyArray<() => Answer>) => {
  const asked: Array<{ readonly assignment: Assignment; readonly result: string }> = []
  const gate: Gate = {
    name,
    check: (assignment, result) => {
      asked.push({ assignment, result })
      const answer = answers[Math.min(asked.length, answers.length) - 1]
      return answer === undefined ? pass : answer()
    }
  }
  return { asked, gate }
}

/** Runs one job through these gates, with time for its retries; answers what is stored of it. */
const judged = Effect.fnUntraced(function* (
  gates: ReadonlyArray<Gate>,
  script: Parameters<typeof scriptedWorkflow>[0] = ({ incarnation }) => [succeed(incarnation)]
) {
  const { scripted, work } = scriptedWorkflow(script, { gates })
  const { fleet, store } = yield* World.withHost({ workflows: [work] })
  const { jobId } = yield* fleet.submit(work, 1)
  yield* TestClock.adjust("1 minute")
  const stored = yield* fleet.await(jobId)
  return { ...stored, events: yield* eventsOf(store, stored.job), scripted }
})

describe("gates", () => {
  it.effect("a result lands when all gates pass, asked in order, each once", () =>
    Effect.gen(function* () {
      const [first, second] = [gateOf("first"), gateOf("second")]
      const { job, result, scripted } = yield* judged([first.gate, second.gate])
      assert.deepStrictEqual([job.state, result], ["COMPLETED", "1"])
      assert.deepStrictEqual([first.asked.length, second.asked.length], [1, 1])
      assert.strictEqual(first.asked[0]?.result, "1")
      assert.strictEqual(first.asked[0]?.assignment.jobId, job.jobId)
      assert.strictEqual(scripted.starts().length, 1)
    })
  )

  it.effect("a rejection burns the attempt, and its reasons are handed to the next one (R25)", () =>
    Effect.gen(function* () {
      const { asked, gate } = gateOf(
        "strict",
        () => reject("too short", "no tests"),
        () => pass
      )
      const { events, job, result, scripted } = yield* judged([gate])
      assert.deepStrictEqual([job.state, job.retryCount, result], ["COMPLETED", 1, "2"])
      assert.deepStrictEqual(
        scripted.starts().map(({ feedback }) => feedback),
        [[], ["too short", "no tests"]]
      )
      assert.strictEqual(asked.length, 2)
      assert.include(moves(events, "agent"), "abandon:gate_rejected")
      assert.include(moves(events, "job"), "schedule_retry:gate_rejected")
    })
  )

  it.effect("the first gate that says no ends it: those after it are not asked", () =>
    Effect.gen(function* () {
      const [no, never] = [gateOf("no", () => reject("no")), gateOf("never")]
      const { job } = yield* judged([no.gate, never.gate])
      assert.deepStrictEqual([job.state, job.lastErrorCode], ["DEAD_LETTERED", "ORCH_GATE_REJECTED"])
      assert.strictEqual(never.asked.length, 0)
      // the code's own bound
      assert.strictEqual(no.asked.length, 3)
    })
  )

  it.effect(
    "a broken gate has not passed: it alone is repeated, and lets the result through when it is well again",
    () =>
      Effect.gen(function* () {
        const { asked, gate } = gateOf(
          "flaky",
          () => Effect.fail("away"),
          () => Effect.die("bug"),
          () => pass
        )
        const { job, scripted } = yield* judged([gate])
        assert.deepStrictEqual([job.state, job.retryCount], ["COMPLETED", 0])
        assert.strictEqual(asked.length, 3)
        assert.strictEqual(scripted.starts().length, 1)
      })
  )

  const judgements: ReadonlyArray<readonly [string, () => Answer]> = [
    ["fails", () => Effect.fail("away")],
    ["dies", () => Effect.die(new Error("away"))],
    [
      "throws before it gives an effect",
      () => {
        throw new Error("away")
      }
    ],
    ["interrupts itself", () => Effect.interrupt],
    ["answers nothing", () => Effect.succeed(undefined as never)], // what a plugin in plain JavaScript may do
    ["rejects without reasons", () => Effect.succeed({ _tag: "Reject" } as never)] // likewise
  ]
  for (const [what, answer] of judgements) {
    it.effect(
      `a gate that ${what} is repeated a bounded number of times; then its job waits unburned, and lands undone when the gate is mended (R2, R25)`,
      () =>
        Effect.gen(function* () {
          const mended = () => pass
          const { asked, gate } = gateOf("broken", answer, answer, answer, mended)
          const { events, job, scripted } = yield* judged([gate])
          assert.deepStrictEqual([job.state, job.retryCount], ["COMPLETED", 0])
          assert.strictEqual(asked.length, 4)
          // the work is not done again
          assert.strictEqual(scripted.starts().length, 1)
          assert.include(moves(events, "agent"), "abandon:plugin_broken")
          const waits = events.find(({ event }) => event === "schedule_retry")
          assert.deepInclude(waits, { transitionReason: "plugin_broken", errorCode: "ORCH_PLUGIN_FAILED" })
          assert.include(waits?.detail ?? "", "broken")
        })
    )
  }

  it.effect("reasons that are huge, many or no text are cut, and still handed on", () =>
    Effect.gen(function* () {
      const huge = ["\u{1F600}".repeat(100_000), ...Array.from({ length: 500 }, (_, n) => `reason ${n}`)]
      const { gate } = gateOf(
        "loud",
        () => reject(...huge),
        () => pass
      )
      const { job, scripted } = yield* judged([gate])
      assert.strictEqual(job.state, "COMPLETED")
      const feedback = scripted.starts()[1]?.feedback ?? []
      assert.isNotEmpty(feedback)
      for (const reason of feedback) assert.isAtMost(new TextEncoder().encode(reason).length, 1_024)
      assert.include(feedback.join(), "reason 1")
    })
  )

  it.effect("another failure than a rejection hands on no reasons of an earlier one", () =>
    Effect.gen(function* () {
      const { gate } = gateOf(
        "strict",
        () => reject("too short"),
        () => pass
      )
      const { job, scripted } = yield* judged([gate], ({ incarnation }) =>
        incarnation === 2 ? [ScriptedRunner.fail("EXT_FLAKY")] : [succeed(incarnation)]
      )
      assert.strictEqual(job.state, "COMPLETED")
      assert.deepStrictEqual(
        scripted.starts().map(({ feedback }) => feedback),
        [[], ["too short"], []]
      )
    })
  )
})
