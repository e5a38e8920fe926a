// One key, one job: submissions that come twice, at once, late, or with something else in them.
import { assert, describe, it } from "@effect/vitest"
import { type JobState, limits, Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, succeed, waitFor } = ScriptedRunner

describe("idempotency", () => {
  it.effect("the same key and payload answer with the stored result and run nothing", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n * 10)])
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const first = yield* fleet.submit(work, 1, { idempotencyKey: "key" })
      assert.strictEqual(yield* first.result, 10)
      const second = yield* fleet.submit(work, 1, { idempotencyKey: "key" })
      assert.deepStrictEqual([first.duplicate, second.duplicate, second.jobId], [false, true, first.jobId])
      assert.strictEqual(yield* second.result, 10)
      assert.strictEqual(scripted.starts().length, 1)
    })
  )

  it.effect("50 submissions of one key at once are one job", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const world = yield* World.make
      const hosts = [yield* world.host({ workflows: [work] }), yield* world.host({ workflows: [work] })]
      const handles = yield* Effect.forEach(
        numbers(50).flatMap(() => hosts),
        ({ fleet }) => fleet.submit(work, 1),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(handles.map(({ jobId }) => jobId)).size, 1)
      assert.strictEqual(handles.filter(({ duplicate }) => !duplicate).length, 1)
      yield* scripted.started(1)
      yield* scripted.release("open")
      yield* TestClock.adjust("1 second")
      for (const { result } of handles) assert.strictEqual(yield* result, 1)
      assert.strictEqual(scripted.starts().length, 1)
    })
  )

  it.effect("one key twice in one call is one job, and the second answer says so", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const answers = yield* fleet.submitAll([
        { workflowType: "work", payload: 1, idempotencyKey: "key" },
        { workflowType: "work", payload: 1, idempotencyKey: "key" },
        { workflowType: "work", payload: 2, idempotencyKey: "key" },
        { workflowType: "work", payload: 2, idempotencyKey: "other" }
      ])
      assert.deepStrictEqual(
        answers.map(({ _tag, jobId }) => [_tag, jobId]),
        [
          ["Inserted", "memory-1"],
          ["Duplicate", "memory-1"],
          ["Conflict", "memory-1"],
          ["Inserted", "memory-2"]
        ]
      )
    })
  )

  it.effect(
    "another payload under the same key is ORCH_DUPLICATE_IDEMPOTENCY_KEY and stores nothing (R17)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
        const { fleet, store } = yield* World.withHost({ workflows: [work] })
        const first = yield* fleet.submit(work, 1, { idempotencyKey: "key" })
        yield* first.result
        const error = yield* Effect.flip(fleet.submit(work, 2, { idempotencyKey: "key" }))
        assert.deepInclude(error, {
          _tag: "ORCH_DUPLICATE_IDEMPOTENCY_KEY",
          jobId: first.jobId,
          workflowType: "work",
          key: "key"
        })
        const jobs = yield* store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 10 })
        assert.strictEqual(jobs.length, 1)
        assert.strictEqual(scripted.starts().length, 1)
      })
  )

  it.effect("a duplicate changes nothing and runs nothing, in whatever state the job is (R17)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) =>
        n === 1
          ? [waitFor("never")]
          : n === 2
            ? [fail("EXT_FLAKY", { retryAfterMillis: 3_600_000 })]
            : n === 3
              ? [fail("DQ_NO_ROWS")]
              : n === 4
                ? [fail("DQ_LOUD")]
                : [succeed(n)]
      )
      const codes = [{ code: "DQ_LOUD", quarantine: false }]
      const { fleet, store } = yield* World.withHost({ workflows: [work], codes, slots: 2 })
      const expected = new Map<number, JobState>([
        [1, "PROCESSING"],
        [2, "RETRY_SCHEDULED"],
        [3, "DEAD_LETTERED"],
        [4, "FAILED"],
        [5, "COMPLETED"],
        [6, "PENDING"],
        [7, "CANCELLED"]
      ])
      const runAt = (n: number) => (n >= 6 ? { runAt: 3_600_000 } : {})
      for (const n of expected.keys()) yield* fleet.submit(work, n, runAt(n))
      yield* World.happened(fleet, ({ event }) => event === "complete")
      const cancelling = yield* Effect.forkChild(fleet.cancel("memory-7"))
      yield* TestClock.adjust("1 second")
      yield* Effect.yieldNow
      assert.isDefined(cancelling.pollUnsafe())
      const started = scripted.starts().length
      for (const [n, state] of expected) {
        const before = yield* store.job(`memory-${n}`)
        const [answer] = yield* fleet.submitAll([{ workflowType: "work", payload: n }])
        assert.deepInclude(answer, { _tag: "Duplicate", jobId: `memory-${n}`, state })
        assert.deepStrictEqual(yield* store.job(`memory-${n}`), before)
      }
      assert.strictEqual(scripted.starts().length, started)
    })
  )

  it.effect("the default key is the workflow and the payload's canonical form", () =>
    Effect.gen(function* () {
      const Payload = Schema.Struct({ a: Schema.Int, b: Schema.Array(Schema.String) })
      const scripted = ScriptedRunner.make(() => [succeed(1)])
      const workflow = (name: string) =>
        Workflow.make(name, { payload: Payload, result: Schema.Int, runner: scripted.runner })
      const [one, two] = [workflow("one"), workflow("two")]
      const { fleet } = yield* World.withHost({ workflows: [one, two] })
      const first = yield* fleet.submit(one, { a: 1, b: ["x"] })
      const [same, other, elsewhere] = yield* fleet.submitAll([
        { workflowType: "one", payload: { b: ["x"], a: 1.0 } },
        { workflowType: "one", payload: { b: ["x", "y"], a: 1 } },
        { workflowType: "two", payload: { a: 1, b: ["x"] } }
      ])
      assert.deepInclude(same, { _tag: "Duplicate", jobId: first.jobId })
      assert.deepInclude(other, { _tag: "Inserted" })
      assert.deepInclude(elsewhere, { _tag: "Inserted" })
    })
  )
})

describe("a submission", () => {
  it.effect("that doesn't fit its workflow's schema is refused by submit, and nothing is stored", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      for (const payload of [1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        const error = yield* Effect.flip(fleet.submit(work, payload))
        assert.deepInclude(error, { _tag: "CONTRACT_PAYLOAD_TYPE_MISMATCH", subject: "payload" })
      }
      assert.deepStrictEqual((yield* store.tally(0)).jobs, [])
    })
  )

  it.effect("by name that doesn't fit ends VALIDATING with CONTRACT_PAYLOAD_TYPE_MISMATCH and its path", () =>
    Effect.gen(function* () {
      const scripted = ScriptedRunner.make(() => [succeed(1)])
      const payload = Schema.Struct({ hosts: Schema.Array(Schema.Struct({ name: Schema.String })) })
      const work = Workflow.make("work", { payload, result: Schema.Int, runner: scripted.runner })
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const bad = { hosts: [{ name: "a" }, { name: 5 }] }
      const [answer] = yield* fleet.submitAll([{ workflowType: "work", payload: bad }])
      const { job } = yield* fleet.await(answer?.jobId ?? "")
      assert.deepInclude(job, {
        state: "DEAD_LETTERED",
        lastErrorCode: "CONTRACT_PAYLOAD_TYPE_MISMATCH",
        agent: null
      })
      const [letter] = yield* store.records({ kind: "letters", job: job.seq, after: 0, limit: 1 })
      assert.include(letter?.row.failure_summary, `["hosts"][1]["name"]`)
      assert.strictEqual(scripted.starts().length, 0)
    })
  )

  it.effect("that is no JSON, or larger than its limit, is refused at the door (R36)", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const cyclic: Record<string, unknown> = {}
      cyclic["self"] = cyclic
      for (const payload of [cyclic, 1n, Symbol("s"), () => 1]) {
        const error = yield* Effect.flip(fleet.submitAll([{ workflowType: "work", payload }]))
        assert.propertyVal(error, "_tag", "CONTRACT_PAYLOAD_TYPE_MISMATCH")
      }
      const huge = "x".repeat(limits.payloadBytes)
      const error = yield* Effect.flip(fleet.submitAll([{ workflowType: "work", payload: huge }]))
      assert.propertyVal(error, "_tag", "CONTRACT_PAYLOAD_TOO_LARGE")
      assert.deepStrictEqual((yield* store.tally(0)).jobs, [])
    })
  )

  it.effect("with an option beyond its limits is refused, and costs nobody anything", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work] })
      for (const options of [
        { priority: 1.5 },
        { priority: Number.NaN },
        { priority: limits.priority + 1 },
        { runAt: Number.NaN },
        { runAt: Number.POSITIVE_INFINITY },
        { maxRetries: -1 },
        { maxRetries: 0.5 },
        { idempotencyKey: "" },
        { idempotencyKey: "x".repeat(limits.keyLength + 1) },
        { correlationId: "" },
        { traceContext: "not a traceparent" }
      ]) {
        const error = yield* Effect.flip(fleet.submit(work, 1, options))
        const [field] = Object.keys(options)
        assert.deepInclude(error, {
          _tag: "CONTRACT_PAYLOAD_TYPE_MISMATCH",
          subject: "submission",
          path: `["${field}"]`
        })
      }
      const job = yield* fleet.submit(work, 1)
      assert.strictEqual(yield* job.result, 1)
    })
  )

  it.effect("waits for room when the fleet is flooded, and loses none (R14)", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 8 })
      const submitted = yield* fleet.submitAll(
        numbers(5_000).map((payload) => ({ workflowType: "work", payload, runAt: 9_999_999 }))
      )
      assert.strictEqual(submitted.length, 5_000)
      assert.isTrue(submitted.every(({ jobId }, index) => jobId === `memory-${index + 1}`))
      assert.deepInclude((yield* store.tally(0)).jobs[0], { state: "PENDING", count: 5_000 })
    })
  )

  it.effect("hands on what it says: correlation, trace, priority, retries, and its own idempotency key", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const traceContext = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      const given = {
        correlationId: "case 7",
        traceContext,
        idempotencyKey: "key",
        priority: 3,
        maxRetries: 2,
        runAt: 5
      }
      yield* TestClock.setTime(10)
      const job = yield* fleet.submit(work, 1, given)
      yield* job.result
      assert.deepInclude((yield* store.job(job.jobId)).job, given)
      assert.deepInclude(scripted.starts()[0], {
        correlationId: "case 7",
        traceContext,
        idempotencyKey: "key"
      })
    })
  )
})
