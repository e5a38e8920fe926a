// What follows on a failed attempt: by its code, at a durable time, within its budget.
import { assert, describe, it } from "@effect/vitest"
import { type Job, type StoreService } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { die, fail, failWith, interruptItself, succeed, waitFor } = ScriptedRunner

/** Rows of the retry log of a job. */
const retriesOf = (store: StoreService, job: Job) =>
  Effect.map(store.records({ kind: "retries", job: job.seq, after: 0, limit: 100 }), (rows) =>
    rows.map(({ row }) => row)
  )
const letterOf = (store: StoreService, job: Job) =>
  Effect.map(store.records({ kind: "letters", job: job.seq, after: 0, limit: 2 }), (rows) => rows[0]?.row)

describe("retries", () => {
  it.effect(
    "a typed failure retries by its code, after the delay of the formula, at a durable absolute time",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ attempt }) =>
          attempt < 5 ? [fail("EXT_FLAKY")] : [succeed(1)]
        )
        const codes = [
          { code: "EXT_FLAKY", backoffBaseSeconds: 2, backoffMultiplier: 3, maxBackoffSeconds: 20, jitter: 0 }
        ]
        const { fleet, store } = yield* World.withHost({ workflows: [work], codes })
        const job = yield* fleet.submit(work, 1)
        yield* scripted.started(1)
        let at = 0
        // min(20, 2 * 3 ^ attempt_index)
        for (const [index, seconds] of [2, 6, 18, 20].entries()) {
          yield* scripted.until((journal) => journal.filter(({ what }) => what === "released").length > index)
          at += seconds * 1_000
          yield* TestClock.setTime(at - 1)
          const { job: waiting } = yield* store.job(job.jobId)
          assert.deepStrictEqual([waiting.state, waiting.runAt], ["RETRY_SCHEDULED", at])
          assert.strictEqual(scripted.starts().length, index + 1)
          yield* TestClock.setTime(at)
          yield* scripted.started(index + 2)
        }
        assert.strictEqual(yield* job.result, 1)
        const { job: done } = yield* store.job(job.jobId)
        assert.deepStrictEqual([done.retryCount, done.lastErrorCode], [4, "EXT_FLAKY"])
        assert.deepStrictEqual(
          (yield* retriesOf(store, done)).map((row) => [
            row.attempt,
            row.error_code,
            row.delay_ms,
            row.next_at
          ]),
          [
            [1, "EXT_FLAKY", 2_000, 2_000],
            [2, "EXT_FLAKY", 6_000, 8_000],
            [3, "EXT_FLAKY", 18_000, 26_000],
            [4, "EXT_FLAKY", 20_000, 46_000]
          ]
        )
      })
  )

  it.effect(
    "the delay is jittered by the seed, within the code's jitter, and equal seeds give equal delays",
    () =>
      Effect.gen(function* () {
        const delays = Effect.fnUntraced(function* (seed: number) {
          const { work } = scriptedWorkflow(() => [fail("EXT_FLAKY")])
          const { fleet, store } = yield* World.withHost({ workflows: [work], seed })
          const submitted = yield* fleet.submitAll(
            [1, 2, 3, 4].map((payload) => ({ workflowType: "work", payload }))
          )
          yield* World.happened(fleet, ({ event }) => event === "schedule_retry", 4)
          const found: Array<number> = []
          for (const { jobId } of submitted) {
            const { job } = yield* store.job(jobId)
            for (const row of yield* retriesOf(store, job)) found.push(row.delay_ms)
          }
          return found
        }, Effect.scoped)
        const first = yield* delays(1)
        assert.strictEqual(first.length, 4)
        for (const delay of first) {
          assert.isAtLeast(delay, 800)
          assert.isAtMost(delay, 1_200)
        }
        assert.isAbove(new Set(first).size, 1)
        assert.deepStrictEqual(yield* delays(1), first)
        assert.notDeepEqual(yield* delays(2), first)
      })
  )

  it.effect(
    "an exhausted budget ends in a dead letter: ORCH_RETRY_BUDGET_EXHAUSTED on the event, the real code kept",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(() => [fail("EXT_FLAKY")], { maxRetries: 2 })
        const { fleet, store } = yield* World.withHost({ workflows: [work] })
        const job = yield* fleet.submit(work, 1)
        yield* TestClock.adjust("1 minute")
        const error = yield* Effect.flip(job.result)
        assert.propertyVal(error, "code", "EXT_FLAKY")
        assert.propertyVal(error, "deadLetterId", `dlq:${job.jobId}`)
        assert.strictEqual(scripted.starts().length, 3)
        const { job: dead } = yield* store.job(job.jobId)
        assert.deepStrictEqual(
          [dead.state, dead.lastErrorCode, dead.retryCount],
          ["DEAD_LETTERED", "EXT_FLAKY", 2]
        )
        const events = yield* eventsOf(store, dead)
        const failed = events.find(({ event }) => event === "fail")
        assert.propertyVal(failed, "errorCode", "ORCH_RETRY_BUDGET_EXHAUSTED")
        assert.propertyVal(failed, "transitionReason", "retry_budget_exhausted")
        assert.deepInclude(yield* letterOf(store, dead), {
          final_state: "FAILED",
          failure_error_code: "EXT_FLAKY",
          replay_eligible: 1
        })
        assert.propertyVal(dead.agent, "disposition", "quarantined")
      })
  )

  it.effect("the smaller of the job's budget and the code's bounds the attempts", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [fail("EXT_TWICE")])
      const codes = [{ code: "EXT_TWICE", maxAttempts: 2 }]
      const { fleet } = yield* World.withHost({ workflows: [work], codes })
      const byCode = yield* fleet.submit(work, 1, { maxRetries: 9 })
      const byJob = yield* fleet.submit(work, 2, { maxRetries: 0 })
      yield* TestClock.adjust("1 minute")
      yield* Effect.flip(byCode.result)
      yield* Effect.flip(byJob.result)
      assert.strictEqual(scripted.starts(byCode.jobId).length, 2)
      assert.strictEqual(scripted.starts(byJob.jobId).length, 1)
    })
  )

  it.effect("a permanent failure is never retried, and is quarantined as its row says", () =>
    Effect.gen(function* () {
      const permanent = ["DQ_NO_ROWS", "LEGAL_HOLD", "MATH_DIVERGED", "CONTRACT_BROKEN", "ORCH_UNHEARD_OF"]
      const { scripted, work } = scriptedWorkflow(({ n }) => [fail(permanent[n] ?? "DQ_LOUD")])
      const codes = [{ code: "DQ_LOUD", quarantine: false }]
      const { fleet, store } = yield* World.withHost({ workflows: [work], codes })
      for (const n of [0, 1, 2, 3, 4, 5]) {
        const job = yield* fleet.submit(work, n)
        const error = yield* Effect.flip(job.result)
        assert.propertyVal(error, "code", permanent[n] ?? "DQ_LOUD")
        const { job: dead } = yield* store.job(job.jobId)
        assert.strictEqual(dead.state, n < 5 ? "DEAD_LETTERED" : "FAILED")
        assert.strictEqual(
          (yield* letterOf(store, dead))?.replay_eligible,
          n < 5 ? Number(n !== 1) : undefined
        )
        assert.strictEqual(scripted.starts(job.jobId).length, 1)
        assert.strictEqual(dead.agent?.state, "tombstoned")
      }
    })
  )

  it.effect("a rate-limit hint holds the job until then and burns no attempt, however often it comes", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(
        ({ incarnation }) =>
          incarnation <= 8 ? [fail("EXT_RATE_LIMITED", { retryAfterMillis: 30_000 })] : [succeed(1)],
        { maxRetries: 1 }
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.until((journal) => journal.some(({ what }) => what === "released"))
      yield* TestClock.setTime(29_999)
      const { job: held } = yield* store.job(job.jobId)
      assert.deepStrictEqual([held.state, held.retryCount], ["RETRY_SCHEDULED", 0])
      assert.isAtLeast(held.runAt, 30_000)
      assert.isAtMost(held.runAt, 36_000)
      assert.strictEqual(scripted.starts().length, 1)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* job.result, 1)
      const { job: done } = yield* store.job(job.jobId)
      assert.strictEqual(done.retryCount, 0)
      assert.strictEqual(scripted.starts().length, 9)
      assert.isTrue(scripted.starts().every(({ attempt }) => attempt === 1))
      const held8 = yield* retriesOf(store, done)
      assert.isTrue(held8.every(({ burned }) => burned === 0))
      assert.include(moves(yield* eventsOf(store, done), "job"), "schedule_retry:rate_limited")
    })
  )
})

describe("crashes", () => {
  it.effect("a defect in an agent is a crash of that job only, with its cause kept", () =>
    Effect.gen(function* () {
      const defect = new Error("a bug of the agent", { cause: new Error("deep down") })
      const { scripted, work } = scriptedWorkflow(({ attempt, n }) =>
        n === 1 && attempt === 1 ? [die(defect)] : [waitFor(`${n}`), succeed(n)]
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const [crashing, other] = [yield* fleet.submit(work, 1), yield* fleet.submit(work, 2)]
      yield* scripted.until((journal) => journal.some(({ what }) => what === "died"))
      yield* TestClock.adjust("1 second")
      yield* scripted.release("1")
      yield* scripted.release("2")
      assert.deepStrictEqual([yield* crashing.result, yield* other.result], [1, 2])
      const { job } = yield* store.job(crashing.jobId)
      assert.deepStrictEqual([job.retryCount, job.lastErrorCode], [1, "ORCH_RETRYABLE_AGENT_CRASHED"])
      assert.include(moves(yield* eventsOf(store, job), "agent"), "abandon:crashed")
      const [row] = yield* retriesOf(store, job)
      assert.include(row?.failure ?? "", "a bug of the agent")
      assert.include(row?.failure ?? "", "deep down")
      assert.strictEqual((yield* store.job(other.jobId)).job.agent?.incarnation, 1)
    })
  )

  it.effect("whatever an agent fails with, a bare exception or nothing at all, is a crash with a code", () =>
    Effect.gen(function* () {
      const cyclic: Record<string, unknown> = {}
      cyclic["self"] = cyclic
      const trap = new Proxy(
        {},
        {
          get: () => {
            throw new Error("caught you")
          }
        }
      )
      const things = [
        new Error("bare"),
        "text",
        undefined,
        null,
        12n,
        Symbol("s"),
        cyclic,
        trap,
        () => 1,
        { _tag: "NoCode" }
      ]
      const { work } = scriptedWorkflow(({ n }) => [n % 2 === 0 ? failWith(things[n]) : die(things[n])], {
        maxRetries: 0,
        // A storm is not what is looked at here.
        breaker: { failures: things.length + 1, attempts: things.length + 1 }
      })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      for (const n of things.keys()) {
        const job = yield* fleet.submit(work, n)
        assert.propertyVal(yield* Effect.flip(job.result), "code", "ORCH_RETRYABLE_AGENT_CRASHED")
      }
    })
  )

  it.effect("an agent that interrupts itself has crashed; it is neither hung nor taken for cancelled", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(() => [interruptItself], { maxRetries: 0 })
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      assert.propertyVal(yield* Effect.flip(job.result), "code", "ORCH_RETRYABLE_AGENT_CRASHED")
      assert.strictEqual((yield* store.job(job.jobId)).job.state, "DEAD_LETTERED")
    })
  )

  it.effect("a job that was rejected, crashed and limited in turn counts each by its own rule", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(
        ({ incarnation }) =>
          [[fail("EXT_FLAKY")], [die("bug")], [fail("EXT_LIMIT", { retryAfterMillis: 5_000 })], [succeed(1)]][
            incarnation - 1
          ] ?? []
      )
      const { fleet, store } = yield* World.withHost({
        workflows: [work],
        codes: [{ code: "EXT_*", jitter: 0 }]
      })
      const job = yield* fleet.submit(work, 1)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* job.result, 1)
      assert.deepStrictEqual(
        scripted.starts().map(({ attempt }) => attempt),
        [1, 2, 3, 3]
      )
      assert.strictEqual((yield* store.job(job.jobId)).job.retryCount, 2)
    })
  )
})
