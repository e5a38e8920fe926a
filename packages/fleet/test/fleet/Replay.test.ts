// Replaying what has failed, was quarantined or was cancelled: once, linked both ways, with the whole envelope (R31).
import { assert, describe, it } from "@effect/vitest"
import { Store, type StoreService } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Replays from "../../src/jobs/Replays.ts"
import { eventsOf, notes } from "./Chains.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, insistUntil, succeed, waitFor } = ScriptedRunner

/** Jobs whose first agent fails for good, and those of its replays do as `later` says. */
const failing = (code: string, later: ReadonlyArray<ScriptedRunner.Step> = [succeed(7)]) => {
  const seen = new Set<number>()
  return scriptedWorkflow(({ n }) => {
    if (seen.has(n)) return later
    seen.add(n)
    return [fail(code)]
  })
}

const ana = { actor: "operator:ana", reason: "mended" }

const ruling = (store: StoreService) => (id: string, verdict: "allow" | "forbid" | "discard") =>
  Effect.provideService(Replays.rule(id, verdict, ana), Store, store)

const letters = (store: StoreService) =>
  Effect.map(store.records({ kind: "letters", job: null, after: 0, limit: 100 }), (records) =>
    records.map(({ job, row }) => [job, row.failure_error_code, row.replayed_by])
  )

describe("a replay", () => {
  it.effect(
    "of a letter is a new job with the original envelope, and the key answers with it from then on (R31)",
    () =>
      Effect.gen(function* () {
        const { work } = failing("DQ_BAD")
        const { fleet, store } = yield* World.withHost({ workflows: [work] })
        const given = {
          idempotencyKey: "invoice-1",
          priority: 5,
          maxRetries: 2,
          correlationId: "cause",
          traceContext: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        }
        const job = yield* fleet.submit(work, 1, given)
        const error = yield* Effect.flip(job.result)
        assert.deepInclude(error, { code: "DQ_BAD", deadLetterId: `dlq:${job.jobId}` })
        const replayed = yield* fleet.replay(job.jobId, ana)
        assert.deepStrictEqual(replayed, { jobId: "memory-2", replayOf: job.jobId, duplicate: false })
        const { job: now, payload } = yield* fleet.await(replayed.jobId)
        assert.deepInclude(now, {
          state: "COMPLETED",
          idempotencyKey: "invoice-1",
          priority: 5,
          maxRetries: 2,
          retryCount: 0,
          correlationId: "cause",
          traceContext: given.traceContext,
          replayOf: 1
        })
        assert.strictEqual(payload, "1")
        const { job: old } = yield* store.job(job.jobId)
        assert.deepInclude(old, { state: "DEAD_LETTERED", supersededBy: 2 })
        assert.deepStrictEqual(yield* letters(store), [[1, "DQ_BAD", 2]])
        const again = yield* fleet.submit(work, 1, given)
        assert.deepInclude(again, { jobId: replayed.jobId, duplicate: true })
        assert.strictEqual(yield* again.result, 7)
        const [created] = yield* eventsOf(store, now)
        assert.deepInclude(created, {
          transitionReason: "replayed",
          actor: "operator:ana",
          detail: JSON.stringify({ replay_of: job.jobId, reason: "mended" })
        })
        assert.deepStrictEqual(
          notes(yield* eventsOf(store, old)).map(({ event, actor }) => [event, actor]),
          [["replayed", "operator:ana"]]
        )
      })
  )

  it.effect("that fails again gets its own letter, and that one can be replayed in turn", () =>
    Effect.gen(function* () {
      const { scripted, work } = failing("EXT_DOWN", [fail("EXT_DOWN")])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1, { maxRetries: 1 })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(scripted.starts().length, 2)
      const second = yield* fleet.replay(job.jobId)
      yield* TestClock.adjust("1 minute")
      // the whole budget again
      assert.strictEqual(scripted.starts().length, 4)
      assert.strictEqual((yield* store.job(second.jobId)).job.state, "DEAD_LETTERED")
      const third = yield* fleet.replay(second.jobId)
      assert.strictEqual(third.replayOf, second.jobId)
      assert.deepStrictEqual(yield* letters(store), [
        [1, "EXT_DOWN", 2],
        [2, "EXT_DOWN", 3]
      ])
      // a late request for the first one still answers with the first one's job
      assert.deepStrictEqual(yield* fleet.replay(job.jobId), { ...second, duplicate: true })
    })
  )

  it.effect("that fifty callers on two hosts want at once is one job (R31)", () =>
    Effect.gen(function* () {
      const { scripted, work } = failing("DQ_BAD")
      const world = yield* World.make
      const hosts = [yield* world.host({ workflows: [work] }), yield* world.host({ workflows: [work] })]
      const [first] = hosts
      assert.isDefined(first)
      const job = yield* first.fleet.submit(work, 1)
      yield* Effect.flip(job.result)
      const answers = yield* Effect.all(
        Array.from({ length: 25 }, () => hosts.map(({ fleet }) => fleet.replay(job.jobId))).flat(),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(answers.map(({ jobId }) => jobId)), new Set(["memory-2"]))
      assert.lengthOf(
        answers.filter(({ duplicate }) => !duplicate),
        1
      )
      yield* TestClock.adjust("1 second")
      assert.strictEqual(scripted.starts().length, 2)
      const all = yield* world.store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 100 })
      assert.lengthOf(all, 2)
      assert.lengthOf(notes(yield* eventsOf(world.store)), 1)
    })
  )

  it.effect("of a CANCELLED job runs; one of a job that is COMPLETED or at work is refused", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      const early = yield* Effect.flip(fleet.replay(job.jobId))
      assert.deepInclude(early, { _tag: "ORCH_REPLAY_CONTEXT_MISSING", missing: ["final_state"] })
      yield* fleet.cancel(job.jobId)
      yield* World.happened(fleet, ({ event }) => event === "tombstone")
      const replayed = yield* fleet.replay(job.jobId)
      yield* scripted.started(2)
      yield* scripted.release("open")
      assert.strictEqual((yield* fleet.await(replayed.jobId)).job.state, "COMPLETED")
      const late = yield* Effect.flip(fleet.replay(replayed.jobId))
      assert.propertyVal(late, "_tag", "ORCH_REPLAY_CONTEXT_MISSING")
      assert.lengthOf(yield* store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 9 }), 2)
    })
  )

  it.effect("waits until the agent of the old job has ended: never two lives of one key", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [insistUntil("done"), succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 4 })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* fleet.cancel(job.jobId)
      const replaying = yield* Effect.forkChild(fleet.replay(job.jobId), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(replaying.pollUnsafe())
      assert.lengthOf(yield* store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 9 }), 1)
      yield* scripted.release("done")
      yield* World.happened(fleet, ({ event }) => event === "tombstone")
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(replaying)
      yield* scripted.started(2)
      assert.strictEqual(scripted.peak(), 1)
    })
  )

  it.effect("of an agent that doesn't end is refused after a while, and says why", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [insistUntil("done"), succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* fleet.cancel(job.jobId)
      const replaying = yield* Effect.forkChild(Effect.flip(fleet.replay(job.jobId)))
      yield* TestClock.adjust("12 seconds")
      assert.deepInclude(yield* Fiber.join(replaying), { missing: ["agent_end"] })
      yield* scripted.release("done")
    })
  )

  it.effect("that is wanted fresh is noted before its first move", () =>
    Effect.gen(function* () {
      const { work } = failing("DQ_BAD")
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Effect.flip(job.result)
      const replayed = yield* fleet.replay(job.jobId, { fresh: true })
      const events = yield* eventsOf(store, (yield* store.job(replayed.jobId)).job)
      assert.deepStrictEqual(
        events.slice(0, 2).map(({ event }) => event),
        ["submit", "replay_fresh"]
      )
    })
  )
})

describe("a verdict on a letter", () => {
  it.effect("forbids and allows its replay, with a note of who and why", () =>
    Effect.gen(function* () {
      const { work } = failing("LEGAL_NO")
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const rule = ruling(store)
      const job = yield* fleet.submit(work, 1)
      yield* Effect.flip(job.result)
      // a legal rule forbids it until somebody clears it (R31)
      const refused = yield* Effect.flip(fleet.replay(job.jobId))
      assert.deepInclude(refused, { _tag: "ORCH_REPLAY_CONTEXT_MISSING", missing: ["replay_eligible"] })
      assert.propertyVal(yield* rule(job.jobId, "allow"), "changed", true)
      assert.propertyVal(yield* rule(job.jobId, "allow"), "changed", false)
      assert.propertyVal(yield* rule(job.jobId, "forbid"), "changed", true)
      yield* Effect.flip(fleet.replay(job.jobId))
      yield* rule(job.jobId, "allow")
      yield* fleet.replay(job.jobId)
      const late = yield* Effect.flip(rule(job.jobId, "forbid"))
      assert.deepInclude(late, { missing: ["replayed"] })
      const told = notes(yield* eventsOf(store, (yield* store.job(job.jobId)).job))
      assert.deepStrictEqual(
        told.map(({ event }) => event),
        ["replay_allowed", "replay_forbidden", "replay_allowed", "replayed"]
      )
      assert.deepInclude(told[0], { actor: "operator:ana", detail: '{"reason":"mended"}' })
    })
  )

  it.effect("discards a letter for good: it is not counted and not replayed any more", () =>
    Effect.gen(function* () {
      const { work } = failing("DQ_BAD")
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const rule = ruling(store)
      const job = yield* fleet.submit(work, 1)
      yield* Effect.flip(job.result)
      assert.strictEqual((yield* store.tally(0)).letters, 1)
      yield* rule(job.jobId, "discard")
      assert.strictEqual((yield* store.tally(0)).letters, 0)
      assert.propertyVal(yield* rule(job.jobId, "discard"), "changed", false)
      const refusals = [
        yield* Effect.flip(fleet.replay(job.jobId)),
        yield* Effect.flip(rule(job.jobId, "allow"))
      ]
      for (const refusal of refusals) assert.deepInclude(refusal, { missing: ["letter_discarded"] })
      assert.propertyVal(yield* Effect.flip(rule("99", "discard")), "_tag", "ORCH_JOB_NOT_FOUND")
    })
  )

  for (const verdict of ["forbid", "discard"] as const)
    it.effect(`that comes with a replay in the same moment (${verdict}) wins or loses, and never both`, () =>
      Effect.gen(function* () {
        const { work } = failing("DQ_BAD")
        const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
        const rule = ruling(store)
        const job = yield* fleet.submit(work, 1)
        yield* Effect.flip(job.result)
        // The replay is decided, and its commit is on its way, when the verdict is given from elsewhere.
        faults.inject({ gate: "replay" })
        const replaying = yield* Effect.forkChild(Effect.result(fleet.replay(job.jobId)), {
          startImmediately: true
        })
        yield* rule(job.jobId, verdict)
        yield* faults.release("replay")
        yield* TestClock.adjust("1 second")
        assert.isTrue(Result.isFailure(yield* Fiber.join(replaying)))
        assert.isNull((yield* store.job(job.jobId)).job.supersededBy)
      })
    )
})

describe("retention", () => {
  it.effect("keeps a letter that may be replayed, and all before it that a replay reads (R31)", () =>
    Effect.gen(function* () {
      const { work } = failing("DQ_BAD", [fail("DQ_BAD")])
      const { fleet, stop, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Effect.flip(job.result)
      const replayed = yield* fleet.replay(job.jobId)
      yield* fleet.await(replayed.jobId)
      const forget = store.prune({ finished_before: 1_000_000, limit: 100 })
      assert.strictEqual(yield* forget, 0)
      yield* ruling(store)(replayed.jobId, "discard")
      yield* stop
      assert.strictEqual(yield* forget, 2)
    })
  )
})
