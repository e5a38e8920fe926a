// How long an agent may be quiet, and a phase take.
import { assert, describe, it } from "@effect/vitest"
import { type AgentEvent, type Workflow, type Workspaces } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { type NumberedScript, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { beat, emit, sleep, succeed, waitFor } = ScriptedRunner

const minutes = (count: number): number => count * 60_000

/** How much later than its due time the vigil may see a silence, in milliseconds. */
const late = 500

const silent = "ORCH_RETRYABLE_STREAM_SILENCE"

/** Runs one job that has one attempt, and holds that its agent is abandoned with `code` at `end`, and not before. */
const overdueAt = Effect.fnUntraced(function* (
  script: NumberedScript,
  end: number,
  code: string,
  policies: Parameters<typeof scriptedWorkflow>[1] = {}
) {
  const { scripted, work } = scriptedWorkflow(script, { maxRetries: 0, ...policies })
  const { fleet, store } = yield* World.withHost({ workflows: [work] })
  const { jobId } = yield* fleet.submit(work, 1)
  yield* scripted.started(1)
  yield* TestClock.adjust(end - 1)
  assert.strictEqual((yield* store.job(jobId)).job.state, "PROCESSING", `abandoned before ${end}`)
  yield* TestClock.adjust(late)
  const { job } = yield* store.job(jobId)
  assert.strictEqual(job.lastErrorCode, code, `not abandoned at ${end}`)
}, Effect.scoped)

describe("silence", () => {
  it.effect("silence abandons an agent after 5 minutes and not before, and the job is retried", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ attempt }) =>
        attempt === 1 ? [waitFor("never")] : [succeed(1)]
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* TestClock.adjust(minutes(5) - 1)
      assert.strictEqual((yield* store.job(job.jobId)).job.state, "PROCESSING")
      yield* TestClock.adjust(300)
      const { job: silent } = yield* store.job(job.jobId)
      assert.deepStrictEqual(
        [silent.state, silent.lastErrorCode],
        ["RETRY_SCHEDULED", "ORCH_RETRYABLE_STREAM_SILENCE"]
      )
      assert.include(moves(yield* eventsOf(store), "agent"), "abandon:stream_silence")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* job.result, 1)
      assert.strictEqual((yield* store.job(job.jobId)).job.retryCount, 1)
    })
  )

  it.effect("every event is life: an agent that says something within each window works on", () =>
    Effect.gen(function* () {
      const sayings: ReadonlyArray<AgentEvent> = [
        { _tag: "Line", source: "stdout", text: "a line", cut: false },
        { _tag: "Progress", message: "half", fraction: 0.5 },
        { _tag: "Usage", inputTokens: 1, outputTokens: 1, cost: 0.1 },
        { _tag: "Heartbeat" },
        { _tag: "ToolOpened", name: "bash" },
        { _tag: "ToolClosed", name: "bash" }
      ]
      const script = () => sayings.flatMap((event) => [sleep(50_000), emit(event)])
      const { scripted, work } = scriptedWorkflow(() => [...script(), ...script(), succeed(1)], {
        maxRetries: 0,
        silence: "1 minute"
      })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* TestClock.adjust(minutes(11))
      assert.strictEqual(yield* job.result, 1)
    })
  )

  for (const [what, event] of [
    ["an extension", { _tag: "Extend", millis: minutes(2) }],
    ["an open tool call", { _tag: "ToolOpened", name: "bash" }]
  ] as const) {
    const end = event._tag === "Extend" ? minutes(2) : minutes(4)
    it.effect(`${what} is granted: no silence until then, or the cap, and then there is`, () =>
      Effect.gen(function* () {
        const script = () => [emit(event), waitFor("never")]
        yield* overdueAt(script, end, silent, { silence: "1 minute", silenceCap: "4 minutes" })
      })
    )
  }

  it.effect("an extension is granted up to the cap, and an agent can't extend itself past it in one go", () =>
    Effect.gen(function* () {
      const script = () => [emit({ _tag: "Extend", millis: minutes(600) }), waitFor("never")]
      yield* overdueAt(script, minutes(3), silent, { silence: "1 minute", silenceCap: "3 minutes" })
    })
  )

  it.effect("the cap is 30 minutes where the workflow names none", () =>
    Effect.sync(() => {
      const { work } = scriptedWorkflow(() => [])
      assert.strictEqual(work.policy.silenceMillis, minutes(5))
      assert.strictEqual(work.policy.silenceCapMillis, minutes(30))
    })
  )

  it.effect("an extension that is no number, or below nothing, changes nothing", () =>
    Effect.gen(function* () {
      for (const millis of [Number.NaN, -1_000, Number.NEGATIVE_INFINITY]) {
        const script = () => [emit({ _tag: "Extend", millis }), waitFor("never")]
        yield* overdueAt(script, 30_000, silent, { silence: "30 seconds" })
      }
    })
  )

  it.effect("a tool call that is closed no longer extends the window", () =>
    Effect.gen(function* () {
      const script = () => [
        emit({ _tag: "ToolOpened", name: "bash" }),
        emit({ _tag: "ToolClosed", name: "bash" }),
        waitFor("never")
      ]
      yield* overdueAt(script, minutes(1), silent, { silence: "1 minute" })
    })
  )

  it.effect(
    "who waits for an answer is not silent, and fails with ORCH_INPUT_REQUIRED after the limit, asked again or not (R35)",
    () =>
      Effect.gen(function* () {
        const ask = emit({ _tag: "NeedsInput", question: "may I?" })
        const policies = { silence: "1 minute", inputLimit: "3 minutes" } as const
        const script = () => [ask, sleep(minutes(2)), ask, waitFor("never")]
        yield* overdueAt(script, minutes(3), "ORCH_INPUT_REQUIRED", policies)
      })
  )

  it.effect("who was answered is held to silence again", () =>
    Effect.gen(function* () {
      const ask = emit({ _tag: "NeedsInput", question: "may I?" })
      const goesOn = emit({ _tag: "Progress", message: "thank you", fraction: null })
      const script = () => [ask, sleep(minutes(2)), goesOn, waitFor("never")]
      yield* overdueAt(script, minutes(3), silent, { silence: "1 minute" })
    })
  )

  it.effect(
    "heartbeats are life but no progress: who only beats is stalled after the progress window (R35)",
    () =>
      Effect.gen(function* () {
        const beating = Array.from({ length: 20 }, () => [sleep(30_000), beat]).flat()
        const policies = { silence: "1 minute", progressWindow: "4 minutes" } as const
        yield* overdueAt(() => beating, minutes(4), "ORCH_RETRYABLE_STALLED", policies)
        const moving = [sleep(30_000), emit({ _tag: "Progress", message: "on", fraction: null })] as const
        const script = () => [...moving, ...beating]
        yield* overdueAt(script, minutes(4.5), "ORCH_RETRYABLE_STALLED", policies)
      })
  )

  it.effect("the workflow's own window counts", () =>
    overdueAt(() => [waitFor("never")], 30_000, silent, { silence: "30 seconds" })
  )
})

describe("a suspended machine", () => {
  /** Four minutes of work, an hour of sleep; then the agent is abandoned for `reason` at `end` after waking, and not before. */
  const abandonedAfterWaking = Effect.fnUntraced(function* (
    script: NumberedScript,
    end: number,
    reason: string,
    deadlines: Workflow.Policies<never>["deadlines"] = {}
  ) {
    const { scripted, work } = scriptedWorkflow(script, { maxRetries: 0, deadlines })
    const { fleet, store, suspend } = yield* World.withHost({ workflows: [work] })
    yield* fleet.submit(work, 1)
    yield* scripted.started(1)
    yield* TestClock.adjust(minutes(4))
    yield* suspend(minutes(60))
    yield* scripted.release("woken")
    yield* TestClock.adjust(end - late)
    assert.notInclude(moves(yield* eventsOf(store), "agent").join(), "abandon")
    yield* TestClock.adjust(3 * late)
    assert.include(moves(yield* eventsOf(store), "agent"), `abandon:${reason}`)
  })

  it.effect("resets the window: the time that it slept is nobody's silence, and the rest still counts", () =>
    abandonedAfterWaking(() => [waitFor("never")], minutes(1), "stream_silence")
  )

  it.effect("gives no window to come: an agent that speaks on waking is silent 5 minutes later", () =>
    abandonedAfterWaking(() => [waitFor("woken"), beat, waitFor("never")], minutes(5), "stream_silence")
  )

  it.effect("doesn't stretch the deadline of a phase by more than it slept", () =>
    abandonedAfterWaking(
      () => [waitFor("woken"), ...[1, 2, 3, 4, 5].flatMap(() => [sleep(minutes(1)), beat]), waitFor("never")],
      minutes(4),
      "deadline_exceeded",
      { work: "8 minutes" }
    )
  )
})

describe("deadlines", () => {
  const slowWorkspaces = (slow: "prepare" | "check"): Workspaces => ({
    name: "slow",
    prepare: ({ jobId }) =>
      slow === "prepare" ? Effect.never : Effect.succeed({ ref: `ref of ${jobId}`, path: "/nowhere" }),
    check: () => Effect.never,
    find: (ref) => Effect.succeed({ ref, path: "/nowhere" }),
    archive: () => Effect.succeed([]),
    remove: () => Effect.succeed({ _tag: "Removed" })
  })
  const slowGate = { name: "slow", check: () => Effect.never }
  const slowLander = { name: "slow", land: () => Effect.never, check: () => Effect.never }

  for (const [phase, time, policies, reason] of [
    ["prepare", 60_000, { workspace: slowWorkspaces("prepare") }, "deadline_exceeded"],
    ["sentinel", 10_000, { workspace: slowWorkspaces("check") }, "deadline_exceeded"],
    ["verify", minutes(10), { gates: [slowGate] }, "deadline_exceeded"],
    ["land", minutes(10), { lander: slowLander }, "deadline_exceeded"],
    ["work", minutes(1), { deadlines: { work: "1 minute" } }, "deadline_exceeded"]
  ] as const) {
    it.effect(
      `${phase} has a deadline of ${time / 1_000} seconds: then its agent is abandoned, and not before`,
      () =>
        Effect.gen(function* () {
          const script = () => [phase === "work" ? waitFor("never") : succeed(1)]
          const { fleet, store } = yield* World.withHost({
            workflows: [scriptedWorkflow(script, { maxRetries: 0, ...policies }).work]
          })
          const [job] = yield* fleet.submitAll([{ workflowType: "work", payload: 1 }])
          const jobId = job?.jobId ?? ""
          yield* World.happened(fleet, ({ event }) => event === "dispatch")
          yield* TestClock.adjust(time - 500)
          assert.strictEqual((yield* store.job(jobId)).job.state, "PROCESSING")
          yield* TestClock.adjust(1_500)
          const stored = yield* store.job(jobId)
          // of a landing that doesn't answer nobody knows whether it has happened: its lander is asked
          assert.deepStrictEqual(
            [stored.job.state, stored.job.lastErrorCode],
            phase === "land"
              ? ["RETRY_SCHEDULED", "ORCH_LANDING_UNKNOWN"]
              : ["DEAD_LETTERED", "ORCH_RETRYABLE_TIMEOUT"]
          )
          assert.include(moves(yield* eventsOf(store), "agent"), `abandon:${reason}`)
        })
    )
  }

  it.effect("a workspace that was made before its sentinel ran out of time is removed all the same", () =>
    Effect.gen(function* () {
      const removed: Array<string> = []
      const workspace = {
        ...slowWorkspaces("check"),
        remove: (ref: string) =>
          Effect.sync(() => {
            removed.push(ref)
            return { _tag: "Removed" } as const
          })
      }
      const { work } = scriptedWorkflow(() => [succeed(1)], { maxRetries: 0, workspace })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* World.happened(fleet, ({ event }) => event === "dispatch")
      yield* TestClock.adjust("20 seconds")
      yield* World.happened(fleet, ({ event }) => event === "tombstone")
      assert.deepStrictEqual(removed, [`ref of ${job.jobId}`])
    })
  )
})
