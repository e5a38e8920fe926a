// Steps that are done once: through retries, crashes, stops and hosts (R28), on the clock of the test.
import { assert, describe, it } from "@effect/vitest"
import {
  type AgentContext,
  type MarkerRow,
  readHold,
  type StoreService,
  type WorkflowPolicy,
  Workflow
} from "@muster/core"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf } from "./Chains.ts"
import * as World from "./World.ts"

type Step = (agent: AgentContext) => Effect.Effect<unknown, unknown>

/** A workflow whose agent does what the test says, by the number of its life. */
const workflowOf = (step: Step, policies: Workflow.Policies<never> = {}) =>
  Workflow.make("work", {
    payload: Schema.Int,
    result: Schema.Unknown,
    run: (_: number, agent) => step(agent),
    ...policies
  })

const markersOf = (store: StoreService, seq: number) =>
  Effect.map(store.records({ kind: "markers", job: seq, after: 0, limit: 100 }), (rows) =>
    rows.map(({ row }) => row).filter(({ name }) => name !== "commit")
  )
const brief = (rows: ReadonlyArray<MarkerRow>) =>
  rows.map(({ incarnation, name, result, state }) => `${name} ${state} ${incarnation} ${result}`)

const isRetry = ({ event }: { readonly event: string }) => event === "schedule_retry"
const flaky = { code: "EXT_FLAKY", jitter: 0, backoffBaseSeconds: 1 }
const fails = Effect.fail({ _tag: "EXT_FLAKY" })

/** An outside to which steps write, and a gate that holds a write up in the middle. */
const outside = () => {
  const writes: Array<string> = []
  const begun = Deferred.makeUnsafe<void>()
  const write = (key: string) =>
    Effect.sync(() => {
      writes.push(key)
      return { write: writes.length }
    })
  /** Writes, and then hangs before it can say so. */
  const writeAndHang = (key: string) =>
    Effect.andThen(write(key), Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
  return { writes, write, writeAndHang, begun: Deferred.await(begun) }
}

describe("once", () => {
  it.effect(
    "writes the start before the effect, its result after, and gives the result back to later lives (R28)",
    () =>
      Effect.gen(function* () {
        const { write, writes } = outside()
        const seen: Array<ReadonlyArray<string>> = []
        const results: Array<unknown> = []
        const work = workflowOf((agent) =>
          Effect.gen(function* () {
            results.push(
              yield* agent.once("pay", (key) =>
                Effect.andThen(
                  Effect.flatMap(Effect.orDie(markersOf(store, 1)), (rows) =>
                    Effect.sync(() => seen.push(brief(rows)))
                  ),
                  write(key)
                )
              )
            )
            return yield* agent.assignment.attempt < 3 ? fails : Effect.succeed("done")
          })
        )
        const { fleet, store } = yield* World.withHost({ workflows: [work], codes: [flaky] })
        const job = yield* fleet.submit(work, 1, { idempotencyKey: "order-7" })
        yield* World.happened(fleet, isRetry)
        yield* TestClock.adjust("1 second")
        yield* World.happened(fleet, isRetry, 2)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* job.result, "done")
        assert.deepStrictEqual(seen, [["pay started 1 null"]])
        assert.deepStrictEqual(writes, ["order-7:pay"])
        assert.deepStrictEqual(results, [{ write: 1 }, { write: 1 }, { write: 1 }])
        assert.deepStrictEqual(brief(yield* markersOf(store, 1)), [`pay finished 1 {"write":1}`])
        assert.deepStrictEqual((yield* store.job(job.jobId)).job.agent?.steps, [])
      })
  )

  it.effect("in one life is done once too, also by two fibers that ask at once", () =>
    Effect.gen(function* () {
      const { write, writes } = outside()
      const work = workflowOf((agent) => {
        const paid = agent.once("pay", write)
        return Effect.all([paid, paid, Effect.andThen(paid, paid)], { concurrency: "unbounded" })
      })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      assert.deepStrictEqual(yield* job.result, [{ write: 1 }, { write: 1 }, { write: 1 }])
      assert.deepStrictEqual(writes.length, 1)
    })
  )

  it.effect("keeps its result by a schema, and fails for good where it doesn't fit any more", () =>
    Effect.gen(function* () {
      const results: Array<unknown> = []
      const work = workflowOf((agent) =>
        Effect.gen(function* () {
          const at = yield* agent.once("stamp", Effect.succeed(new Date(0)), { result: Schema.Date })
          results.push(at)
          if (agent.assignment.attempt === 1) return yield* fails
          return yield* agent.once("stamp", Effect.succeed(1), { result: Schema.Int })
        })
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work], codes: [flaky] })
      const job = yield* fleet.submit(work, 1)
      yield* World.happened(fleet, isRetry)
      yield* TestClock.adjust("1 second")
      yield* Effect.exit(job.result)
      assert.deepStrictEqual(results, [new Date(0), new Date(0)])
      const { job: ended } = yield* store.job(job.jobId)
      assert.deepInclude(ended, { state: "DEAD_LETTERED", lastErrorCode: "CONTRACT_MARKER_INVALID" })
    })
  )

  it.effect(
    "refuses names that are taken or unfit, and results that are too large or no JSON, for good",
    () =>
      Effect.gen(function* () {
        const cyclic: { self?: unknown } = {}
        cyclic.self = cyclic
        const misuses: ReadonlyArray<Step> = [
          (agent) => agent.once("commit", Effect.void),
          (agent) => agent.once("a@2", Effect.void),
          (agent) => agent.once("", Effect.void),
          (agent) => agent.once("large", Effect.succeed("x".repeat(70_000))),
          (agent) => agent.once("cyclic", Effect.succeed(cyclic))
        ]
        const work = Workflow.make("work", {
          payload: Schema.Int,
          result: Schema.Unknown,
          run: (n: number, agent) => misuses[n]?.(agent) ?? Effect.void
        })
        const { fleet, store } = yield* World.withHost({ workflows: [work] })
        for (const index of misuses.keys()) {
          const job = yield* fleet.submit(work, index)
          yield* fleet.await(job.jobId)
          assert.strictEqual((yield* store.job(job.jobId)).job.lastErrorCode, "CONTRACT_MARKER_INVALID")
        }
      })
  )

  it.effect("of an attempt is done again in the next one, but not in another life of the same (R28)", () =>
    Effect.gen(function* () {
      const { write, writes } = outside()
      const work = workflowOf((agent) =>
        Effect.gen(function* () {
          yield* agent.once("think", write, { scope: "attempt" })
          if (agent.assignment.incarnation === 1)
            return yield* Effect.fail({ _tag: "EXT_FLAKY", retryAfterMillis: 1_000 })
          return yield* agent.assignment.attempt === 1 ? fails : Effect.succeed("done")
        })
      )
      const { fleet } = yield* World.withHost({ workflows: [work], codes: [flaky] })
      const job = yield* fleet.submit(work, 1, { idempotencyKey: "k" })
      yield* World.happened(fleet, isRetry)
      yield* TestClock.adjust("1 second")
      yield* World.happened(fleet, isRetry, 2)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* job.result, "done")
      assert.deepStrictEqual(writes, ["k:think@1", "k:think@2"])
    })
  )

  it.effect("may be begun again after a failure that proves that nothing was done", () =>
    Effect.gen(function* () {
      const { write, writes } = outside()
      const work = workflowOf((agent) =>
        agent.once("pay", (key) => (agent.assignment.attempt === 1 ? fails : write(key)), {
          isNotDone: () => true
        })
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work], codes: [flaky] })
      const job = yield* fleet.submit(work, 1)
      yield* World.happened(fleet, isRetry)
      assert.deepStrictEqual(brief(yield* markersOf(store, 1)), ["pay cleared 1 null"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* job.result, { write: 1 })
      assert.lengthOf(writes, 1)
    })
  )
})

/** A fleet whose first life writes and then dies, before it can say that it has. */
const unknownAfter = Effect.fnUntraced(function* (
  end: (world: World.HostUnderTest & World.World, jobId: string) => Effect.Effect<unknown>,
  unknownOutcome?: WorkflowPolicy["unknownOutcome"]
) {
  const out = outside()
  const work = workflowOf(
    (agent) => agent.once("pay", agent.assignment.incarnation === 1 ? out.writeAndHang : out.write),
    { ...(unknownOutcome === undefined ? {} : { unknownOutcome }), silence: "1 minute" }
  )
  const world = yield* World.withHost({ workflows: [work], codes: [flaky] })
  const job = yield* world.fleet.submit(work, 1)
  yield* out.begun
  yield* end(world, job.jobId)
  return { ...world, ...out, work, job, seq: 1 }
})

const silence = ({ fleet }: World.HostUnderTest) =>
  Effect.andThen(TestClock.adjust("2 minutes"), World.happened(fleet, isRetry))

describe("an unknown outcome", () => {
  it.effect(
    "parks the job by default: no retry, however long, until an operator says that it was done (R28)",
    () =>
      Effect.gen(function* () {
        const { fleet, job, seq, store, writes } = yield* unknownAfter(silence)
        yield* TestClock.adjust("5 minutes")
        const parked = (yield* store.job(job.jobId)).job
        assert.deepInclude(parked, { state: "RETRY_SCHEDULED", retryCount: 1 })
        assert.deepStrictEqual(readHold(parked.hold)?.markers, ["pay"])
        assert.deepInclude(parked.agent, { standing: "waiting", incarnation: 1, steps: ["pay"] })
        const settled = yield* fleet.settle(job.jobId, {
          outcome: "done",
          result: { write: 1 },
          reason: "seen"
        })
        assert.deepStrictEqual(settled, { marker: "pay", outcome: "done", result: { write: 1 } })
        assert.deepStrictEqual(yield* job.result, { write: 1 })
        assert.lengthOf(writes, 1)
        assert.deepStrictEqual(brief(yield* markersOf(store, seq)), [`pay finished 1 {"write":1}`])
        const events = yield* eventsOf(store, parked)
        const note = events.find(({ event }) => event === "marker_settled")
        assert.deepInclude(note, { actor: "caller:host-1", transitionReason: "operator", toState: null })
        assert.include(note?.detail, "seen")
      })
  )

  it.effect("that was not done is done by the next life, and once", () =>
    Effect.gen(function* () {
      const { fleet, job, writes } = yield* unknownAfter(silence)
      yield* fleet.settle(job.jobId, { marker: "pay", outcome: "not_done" })
      assert.deepStrictEqual(yield* job.result, { write: 2 })
      assert.lengthOf(writes, 2)
    })
  )

  it.effect("that an operator gives up ends the job in quarantine", () =>
    Effect.gen(function* () {
      const { fleet, job, store } = yield* unknownAfter(silence)
      yield* fleet.settle(job.jobId, { outcome: "fail", reason: "the bank is gone" })
      const { job: ended } = yield* fleet.await(job.jobId)
      assert.deepInclude(ended, { state: "DEAD_LETTERED", lastErrorCode: "ORCH_OUTCOME_UNKNOWN", hold: null })
      const [letter] = yield* store.records({ kind: "letters", job: ended.seq, after: 0, limit: 1 })
      assert.include(letter?.row.failure_summary, "the bank is gone")
    })
  )

  it.effect(
    "is answered once: a repeated request as the first time, another one that it is too late (R24)",
    () =>
      Effect.gen(function* () {
        const { fleet, job } = yield* unknownAfter(silence)
        const request = { outcome: "done", result: 1, requestId: "r" } as const
        const first = yield* fleet.settle(job.jobId, request)
        yield* job.result
        assert.deepStrictEqual(yield* fleet.settle(job.jobId, request), first)
        const late = yield* Effect.flip(fleet.settle(job.jobId, { marker: "pay", outcome: "fail" }))
        assert.strictEqual(late._tag, "ORCH_SETTLE_TOO_LATE")
        const unnamed = yield* Effect.flip(fleet.settle(job.jobId, { outcome: "fail" }))
        assert.strictEqual(unnamed._tag, "ORCH_SETTLE_TOO_LATE")
      })
  )

  it.effect("is run again where the workflow says so, with the same key", () =>
    Effect.gen(function* () {
      const { fleet, job, writes } = yield* unknownAfter(silence, "rerun")
      yield* TestClock.adjust("1 minute")
      yield* World.happened(fleet, ({ event }) => event === "complete")
      assert.deepStrictEqual(yield* job.result, { write: 2 })
      assert.strictEqual(writes[0], writes[1])
    })
  )

  it.effect("ends the job where the workflow says so", () =>
    Effect.gen(function* () {
      const { fleet, job, writes } = yield* unknownAfter(
        ({ fleet: owner }) =>
          Effect.andThen(
            TestClock.adjust("2 minutes"),
            World.happened(owner, ({ event }) => event === "fail")
          ),
        "fail"
      )
      const { job: ended } = yield* fleet.await(job.jobId)
      assert.deepInclude(ended, { state: "DEAD_LETTERED", lastErrorCode: "ORCH_OUTCOME_UNKNOWN" })
      assert.lengthOf(writes, 1)
    })
  )

  it.effect(
    "is asked about after a graceful stop, by the row alone, and a host that starts later goes on",
    () =>
      Effect.gen(function* () {
        const { host, job, store, work, writes } = yield* unknownAfter(({ stop }) => stop)
        const parked = (yield* store.job(job.jobId)).job
        assert.deepInclude(parked, { state: "RETRY_SCHEDULED", retryCount: 0 })
        assert.deepStrictEqual(readHold(parked.hold)?.markers, ["pay"])
        const next = yield* host({ workflows: [work] })
        yield* next.fleet.settle(job.jobId, { outcome: "done", result: "yes" })
        const { result } = yield* next.fleet.await(job.jobId)
        assert.strictEqual(result, '"yes"')
        assert.lengthOf(writes, 1)
      })
  )

  it.effect("is asked about by the host that adopts the work of a killed one", () =>
    Effect.gen(function* () {
      const { host, job, store, work, writes } = yield* unknownAfter(({ crash }) => crash())
      const next = yield* host({ workflows: [work] })
      yield* World.happened(next.fleet, isRetry)
      const parked = (yield* store.job(job.jobId)).job
      assert.deepStrictEqual(readHold(parked.hold)?.markers, ["pay"])
      yield* next.fleet.settle(job.jobId, { outcome: "not_done" })
      yield* next.fleet.await(job.jobId)
      assert.lengthOf(writes, 2)
    })
  )

  it.effect("doesn't hold up a cancel, which leaves the step in the record", () =>
    Effect.gen(function* () {
      const { fleet, job, store } = yield* unknownAfter(({ fleet: owner }, id) =>
        Effect.orDie(owner.cancel(id))
      )
      const { job: cancelled } = yield* fleet.await(job.jobId)
      assert.deepInclude(cancelled, { state: "CANCELLED", hold: null })
      assert.deepStrictEqual(brief(yield* markersOf(store, 1)), ["pay started 1 null"])
    })
  )

  it.effect(
    "of a quarantined job is asked about when its replay comes to the step; finished steps are done (R31)",
    () =>
      Effect.gen(function* () {
        const { write, writes } = outside()
        const work = workflowOf((agent) =>
          Effect.gen(function* () {
            yield* agent.once("reserve", write)
            return yield* agent.once("pay", (key) =>
              writes.length === 1
                ? Effect.andThen(write(key), Effect.fail({ _tag: "DQ_BROKEN" }))
                : write(key)
            )
          })
        )
        const { fleet, store } = yield* World.withHost({ workflows: [work] })
        const job = yield* fleet.submit(work, 1)
        yield* fleet.await(job.jobId)
        const replay = yield* fleet.replay(job.jobId)
        yield* World.happened(
          fleet,
          ({ event, jobId }) => event === "schedule_retry" && jobId === replay.jobId
        )
        const parked = (yield* store.job(replay.jobId)).job
        assert.deepInclude(parked, { state: "RETRY_SCHEDULED", retryCount: 0 })
        assert.deepStrictEqual(readHold(parked.hold)?.markers, ["pay"])
        assert.lengthOf(writes, 2)
        yield* fleet.settle(replay.jobId, { outcome: "not_done" })
        assert.strictEqual((yield* fleet.await(replay.jobId)).job.state, "COMPLETED")
        assert.lengthOf(writes, 3)
      })
  )
})

describe("a marker", () => {
  it.effect(
    "begins nothing while the store doesn't answer, and whoever waits for it is not silent (R21)",
    () =>
      Effect.gen(function* () {
        const { write, writes } = outside()
        const gate = Deferred.makeUnsafe<void>()
        const work = workflowOf(
          (agent) =>
            Effect.andThen(
              agent.progress("up"),
              Effect.andThen(Deferred.await(gate), agent.once("pay", write))
            ),
          { silence: "1 minute" }
        )
        const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
        const job = yield* fleet.submit(work, 1)
        yield* World.happened(fleet, ({ event }) => event === "prepare")
        faults.inject({ operation: "commit", gate: "answer", times: 1 })
        yield* Deferred.succeed(gate, undefined)
        yield* TestClock.adjust("10 minutes")
        assert.lengthOf(writes, 0)
        yield* faults.release("answer")
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* job.result, { write: 1 })
        const { job: done } = yield* store.job(job.jobId)
        assert.deepStrictEqual([done.retryCount, done.agent?.incarnation], [0, 1])
      })
  )

  it.effect("of a host that was fenced is refused, and its step is not done (R20)", () =>
    Effect.gen(function* () {
      const { write, writes } = outside()
      const gate = Deferred.makeUnsafe<void>()
      const work = workflowOf((agent) => Effect.andThen(Deferred.await(gate), agent.once("pay", write)))
      const { fleet, host, crash } = yield* World.withHost({ workflows: [work] })
      yield* fleet.submit(work, 1)
      yield* World.happened(fleet, ({ event }) => event === "prepare")
      yield* crash()
      const ended = yield* Effect.forkChild(Effect.exit(fleet.ended))
      const next = yield* host({ workflows: [work] })
      yield* Deferred.succeed(gate, undefined)
      yield* World.happened(next.fleet, ({ event }) => event === "complete")
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(writes, 1)
      assert.isTrue(Exit.isExit(ended.pollUnsafe() ?? Exit.void))
      yield* Fiber.interrupt(ended)
    })
  )
})
