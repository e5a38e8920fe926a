// What a host counts is what has happened, and no agent can make it count without bounds.
import { assert, describe, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Metric, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Cardinality, mostUnknown } from "../../src/observability/Cardinality.ts"
import { metrics } from "../../src/observability/MetricNames.ts"
import { scriptedWorkflow } from "../fleet/Scripted.ts"
import * as World from "../fleet/World.ts"
import * as Collected from "./Collected.ts"

const { emit, fail, succeed, waitFor } = ScriptedRunner

const codes = [{ code: "EXT_FLAKY", backoffBaseSeconds: 1, jitter: 0 }]

describe("the metrics of a host", () => {
  it.effect("count each job, attempt, retry, letter and report once", () =>
    Collected.inOwnRegistry(
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ attempt, payload }) => {
          if (payload === 1) return [succeed(0)]
          if (payload === 2) return attempt < 3 ? [fail("EXT_FLAKY")] : [succeed(0)]
          if (payload === 3) return [fail("DQ_BROKEN")]
          const usage = { _tag: "Usage", inputTokens: 700, outputTokens: 30, cost: 0.25 } as const
          return [emit({ ...usage, inputTokens: 200, cost: null }), emit(usage), waitFor("end"), succeed(1)]
        })
        const { fleet } = yield* World.withHost({ workflows: [work], codes, slots: 4 })
        for (const payload of [1, 2, 3]) {
          const job = yield* fleet.submit(work, payload)
          yield* fleet.submit(work, payload)
          const over = yield* Effect.forkChild(fleet.await(job.jobId))
          while (over.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
        }
        const slow = yield* fleet.submit(work, 4)
        yield* scripted.started(6)
        yield* fleet.cancel(slow.jobId)

        assert.deepStrictEqual(yield* Collected.of("muster.jobs.submitted"), { "workflow_type=work": 4 })
        assert.deepStrictEqual(yield* Collected.of("muster.jobs.ended"), {
          "state=COMPLETED,workflow_type=work": 2,
          "state=DEAD_LETTERED,workflow_type=work": 1,
          "state=CANCELLED,workflow_type=work": 1
        })
        assert.deepStrictEqual(yield* Collected.of("muster.attempts"), { "workflow_type=work": 6 })
        assert.deepStrictEqual(yield* Collected.of("muster.attempts.failed"), {
          "error_code=EXT_FLAKY": 2,
          "error_code=DQ_BROKEN": 1
        })
        assert.deepStrictEqual(yield* Collected.of("muster.retries"), {
          "burned=true,reason=attempt_failed,workflow_type=work": 2
        })
        assert.deepStrictEqual(yield* Collected.of("muster.dead_letters"), { "error_code=DQ_BROKEN": 1 })
        assert.deepStrictEqual(yield* Collected.of("muster.agents.tokens"), {
          "token_type=input": 700,
          "token_type=output": 30
        })
        assert.deepStrictEqual(yield* Collected.of("muster.agents.cost"), { "": 0.25 })
      })
    )
  )

  it.effect("tell a retry that burned no attempt apart, by its reason", () =>
    Collected.inOwnRegistry(
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ incarnation }) =>
          incarnation === 1 ? [fail("EXT_LIMITED", { retryAfterMillis: 2_000 })] : [succeed(1)]
        )
        const { fleet } = yield* World.withHost({ workflows: [work] })
        const job = yield* fleet.submit(work, 1)
        yield* World.happened(fleet, ({ event }) => event === "schedule_retry")
        yield* TestClock.adjust("1 minute")
        yield* scripted.started(2)
        yield* job.result
        assert.deepStrictEqual(yield* Collected.of("muster.retries"), {
          "burned=false,reason=rate_limited,workflow_type=work": 1
        })
      })
    )
  )

  it.effect("show what the host and its store hold when somebody collects, and go with the host", () =>
    Collected.inOwnRegistry(
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(() => [waitFor("end"), succeed(1)])
        const host = yield* World.withHost({ workflows: [work], slots: 2 })
        yield* host.fleet.submitAll([1, 2, 3].map((payload) => ({ workflowType: "work", payload })))
        yield* host.fleet.submitAll([{ workflowType: "nobody's", payload: 4 }])
        yield* scripted.started(2)
        assert.deepInclude(yield* Collected.collect, {
          "muster.slots": 2,
          "muster.slots.used": 2,
          "muster.agents state=working": 2,
          "muster.agents state=dispatched": 0,
          "muster.breakers.open": 0,
          "muster.store.trouble": 0,
          "muster.mailbox.depth lane=submissions": 0
        })
        // The store is asked when somebody has collected, so the next collection has it.
        yield* TestClock.adjust("10 seconds")
        assert.deepInclude(yield* Collected.collect, {
          "muster.queue.depth state=PROCESSING,workflow_type=work": 2,
          "muster.queue.depth state=PENDING,workflow_type=work": 1,
          "muster.queue.depth state=PENDING,workflow_type=nobody's": 1,
          "muster.queue.oldest": 10
        })
        yield* scripted.release("end")
        yield* World.happened(host.fleet, ({ event }) => event === "complete", 3)
        yield* TestClock.adjust("10 seconds")
        const after = yield* Collected.collect
        assert.strictEqual(after["muster.queue.depth state=PENDING,workflow_type=work"], 0)
        assert.strictEqual(after["muster.slots.used"], 0)
        yield* host.stop
        const left = Object.keys(yield* Collected.collect)
        assert.notInclude(left, "muster.slots")
        assert.notInclude(left, "muster.queue.oldest")
        assert.include(left, "muster.attempts workflow_type=work")
      })
    )
  )

  it.effect("stay few, whatever codes agents choose", () =>
    Collected.inOwnRegistry(
      Effect.gen(function* () {
        const madeUp = mostUnknown * 2
        const known = "CONTRACT_PAYLOAD_TYPE_MISMATCH"
        const { work } = scriptedWorkflow(({ n }) => [fail(n < madeUp ? `DQ_MADE_UP_${n}` : known)])
        const { fleet } = yield* World.withHost({ workflows: [work], slots: 50 })
        const payloads = Array.from({ length: madeUp + 10 }, (_, n) => n)
        yield* fleet.submitAll(payloads.map((payload) => ({ workflowType: "work", payload })))
        yield* World.happened(fleet, ({ event }) => event === "dead_letter", payloads.length)
        for (const name of ["muster.dead_letters", "muster.attempts.failed"]) {
          const found = yield* Collected.of(name)
          assert.strictEqual(found["error_code=other"], madeUp - mostUnknown, name)
          // It came after all the others.
          assert.strictEqual(found[`error_code=${known}`], 10, name)
          assert.strictEqual(Object.keys(found).length, mostUnknown + 2, name)
        }
      })
    )
  )

  it.effect("of every turn and commit are in the histograms, and every name is a declared one", () =>
    Collected.inOwnRegistry(
      Effect.gen(function* () {
        const work = Workflow.make("work", {
          payload: Schema.Int,
          result: Schema.Int,
          run: (n) => Effect.succeed(n)
        })
        const { fleet } = yield* World.withHost({ workflows: [work] })
        const job = yield* fleet.submit(work, 1)
        yield* job.result
        yield* TestClock.adjust("10 seconds")
        const { loop } = yield* fleet.snapshot
        const found = yield* Collected.collect
        assert.strictEqual(found["muster.commit.duration"], loop.turns)
        assert.strictEqual(found["muster.turn.duration"], loop.turns)
        const moves = yield* Collected.of("muster.loop.moves")
        assert.isAtLeast(moves["event=settle"] ?? 0, loop.turns)
        assert.strictEqual(moves["event=settle"], moves["event=refill"])
        assert.isAtLeast(moves["event=bank"] ?? 0, 1)
        assert.isAtLeast(found["muster.loop.lag"] ?? 0, 10)
        const declared = new Map(metrics.map((metric) => [metric.name, metric]))
        for (const { attributes, description, id } of yield* Metric.snapshot) {
          const declaration = declared.get(id)
          assert.strictEqual(description, declaration?.description, id)
          const { unit, ...labels } = Object(attributes)
          assert.strictEqual(unit, declaration?.unit, id)
          assert.sameMembers(Object.keys(labels), [...(declaration?.attributes ?? [])], id)
        }
      })
    )
  )

  it("keep all known values apart, and of others the first that are met", () => {
    const few = new Cardinality(["known"])
    const met = Array.from({ length: 1_000 }, (_, index) => few.of(`value ${index}`))
    assert.strictEqual(new Set(met).size, mostUnknown + 1)
    assert.strictEqual(few.of("known"), "known")
    assert.strictEqual(few.of("value 0"), "value 0")
    assert.strictEqual(new Cardinality([]).of("x".repeat(1_000)), "other")
  })
})
