// Cancelling a job wherever it stands.
import { assert, describe, it } from "@effect/vitest"
import { type Lander } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves, notes } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, succeed, waitFor } = ScriptedRunner

/** A cancel of a waiting job is answered by the next look at the store. */
const look = TestClock.adjust("200 millis")

describe("cancel", () => {
  it.effect("a job that waits is cancelled without a slot and never starts (R24)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 1 })
      const first = yield* fleet.submit(work, 1)
      const second = yield* fleet.submit(work, 2)
      yield* scripted.started(1)
      const cancelling = yield* Effect.forkChild(fleet.cancel(second.jobId, { reason: "not needed" }))
      yield* look
      yield* Fiber.join(cancelling)
      const error = yield* Effect.flip(second.result)
      assert.deepInclude(error, { code: null, deadLetterId: null })
      const { job } = yield* store.job(second.jobId)
      assert.deepStrictEqual([job.state, job.agent], ["CANCELLED", null])
      yield* scripted.release("open")
      yield* first.result
      assert.strictEqual(scripted.starts().length, 1)
    })
  )

  it.effect(
    "a job that works is cancelled: its agent is interrupted, its slot is free, and nobody counts it as failed",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
        const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 1 })
        const first = yield* fleet.submit(work, 1)
        const second = yield* fleet.submit(work, 2)
        yield* scripted.started(1)
        yield* fleet.cancel(first.jobId, { actor: "operator:ana" })
        yield* scripted.started(2)
        assert.deepStrictEqual(
          scripted.journal.slice(0, 3).map(({ what }) => what),
          ["started", "interrupted", "released"]
        )
        yield* scripted.release("2")
        yield* second.result
        const { job } = yield* store.job(first.jobId)
        assert.deepStrictEqual([job.state, job.retryCount, job.lastErrorCode], ["CANCELLED", 0, null])
        const events = yield* eventsOf(store, job)
        assert.deepStrictEqual(moves(events, "agent").slice(-2), ["abandon:cancelled", "tombstone:discarded"])
        assert.propertyVal(
          events.find(({ event }) => event === "cancel"),
          "actor",
          "operator:ana"
        )
      })
  )

  it.effect("a job that waits for its retry is cancelled and not recovered", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [fail("EXT_FLAKY")])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* World.happened(fleet, ({ event }) => event === "schedule_retry")
      const cancelling = yield* Effect.forkChild(fleet.cancel(job.jobId))
      yield* look
      yield* Fiber.join(cancelling)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(scripted.starts().length, 1)
      const stored = yield* store.job(job.jobId)
      assert.deepInclude(stored.job.agent, { state: "tombstoned", disposition: "discarded" })
      assert.deepInclude(yield* Effect.flip(job.result), { code: "EXT_FLAKY", deadLetterId: null })
    })
  )

  it.effect("a job that is over can't be cancelled; one that was cancelled can be, again", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => (n === 1 ? [succeed(1)] : [waitFor("never")]))
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const done = yield* fleet.submit(work, 1)
      yield* done.result
      const error = yield* Effect.flip(fleet.cancel(done.jobId))
      assert.deepInclude(error, { _tag: "ORCH_CANCEL_TOO_LATE", state: "COMPLETED" })
      const other = yield* fleet.submit(work, 2)
      yield* scripted.started(2)
      yield* fleet.cancel(other.jobId)
      yield* fleet.cancel(other.jobId)
      assert.strictEqual((yield* store.job(done.jobId)).job.state, "COMPLETED")
      assert.propertyVal(yield* Effect.flip(fleet.cancel("memory-999")), "_tag", "ORCH_JOB_NOT_FOUND")
    })
  )

  it.effect("once its landing has begun it is too late, and the landing ends the job (R26)", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const landing = yield* Deferred.make<void>()
      const lander: Lander = {
        name: "slow",
        land: () =>
          Deferred.succeed(landing, undefined).pipe(
            Effect.andThen(Deferred.await(gate)),
            Effect.as({ _tag: "Landed", reference: "home" } as const)
          ),
        check: () => Effect.succeed("unknown")
      }
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander })
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Deferred.await(landing)
      const error = yield* Effect.flip(fleet.cancel(job.jobId))
      assert.deepInclude(error, { _tag: "ORCH_CANCEL_TOO_LATE", state: "PROCESSING" })
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual(yield* job.result, 1)
      assert.strictEqual((yield* store.job(job.jobId)).job.state, "COMPLETED")
    })
  )

  for (const retries of [4, 0])
    it.effect(
      `once its landing fails, the cancel that came too late is made good (${retries} retries left)`,
      () =>
        Effect.gen(function* () {
          const gate = yield* Deferred.make<void>()
          const landing = yield* Deferred.make<void>()
          const lander: Lander = {
            name: "stubborn",
            land: () =>
              Deferred.succeed(landing, undefined).pipe(
                Effect.andThen(Deferred.await(gate)),
                Effect.as({ _tag: "Conflict", detail: "the base has moved" } as const)
              ),
            check: () => Effect.succeed("absent")
          }
          const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander })
          const { fleet, store } = yield* World.withHost({ workflows: [work] })
          const job = yield* fleet.submit(work, 1, { maxRetries: retries })
          yield* Deferred.await(landing)
          const error = yield* Effect.flip(
            fleet.cancel(job.jobId, { actor: "operator:ana", reason: "stop it" })
          )
          assert.deepInclude(error, { _tag: "ORCH_CANCEL_TOO_LATE", state: "PROCESSING" })
          yield* Deferred.succeed(gate, undefined)
          yield* World.happened(fleet, ({ event }) => event === "tombstone")
          yield* TestClock.adjust("10 minutes")
          const { job: now } = yield* store.job(job.jobId)
          assert.deepInclude(now, { state: "CANCELLED", lastErrorCode: "ORCH_RETRYABLE_LANDING_CONFLICT" })
          assert.deepInclude(now.agent, { disposition: "discarded" })
          assert.strictEqual(scripted.starts().length, 1)
          const events = yield* eventsOf(store, now)
          assert.deepStrictEqual(moves(events, "job").slice(-1), ["cancel:operator"])
          const [intent] = yield* store.records({ kind: "intents", job: 1, after: 0, limit: 1 })
          assert.strictEqual(intent?.row.outcome, "cancelled")
        })
    )

  it.effect("too late is settled when the landing is home", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const landing = yield* Deferred.make<void>()
      const lander: Lander = {
        name: "slow",
        land: () =>
          Deferred.succeed(landing, undefined).pipe(
            Effect.andThen(Deferred.await(gate)),
            Effect.as({ _tag: "Landed", reference: "home" } as const)
          ),
        check: () => Effect.succeed("unknown")
      }
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander })
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Deferred.await(landing)
      yield* Effect.flip(fleet.cancel(job.jobId))
      yield* Deferred.succeed(gate, undefined)
      yield* job.result
      yield* look
      const [intent] = yield* store.records({ kind: "intents", job: 1, after: 0, limit: 1 })
      assert.strictEqual(intent?.row.outcome, "too_late")
    })
  )

  it.live(
    "a cancel that waits for a landing's end lets the loop rest: it is looked at ten times a second",
    () =>
      Effect.gen(function* () {
        const landing = yield* Deferred.make<void>()
        const lander: Lander = {
          name: "endless",
          land: () => Effect.andThen(Deferred.succeed(landing, undefined), Effect.never),
          check: () => Effect.succeed("unknown")
        }
        const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander })
        const { faults, fleet } = yield* World.withHost({ workflows: [work], stop: 0 })
        const job = yield* fleet.submit(work, 1)
        yield* Deferred.await(landing)
        yield* Effect.flip(fleet.cancel(job.jobId))
        const from = yield* Clock.currentTimeMillis
        yield* faults.called("changed", faults.calls("changed") + 5)
        assert.isAtLeast((yield* Clock.currentTimeMillis) - from, 350)
      })
  )

  it.effect("a repeated request is one wish, and answers as the first one (R24)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("never"), succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* fleet.cancel(job.jobId, { requestId: "once" })
      yield* fleet.cancel(job.jobId, { requestId: "once" })
      assert.lengthOf(yield* store.records({ kind: "intents", job: 1, after: 0, limit: 9 }), 1)
    })
  )

  it.effect(
    "from anybody, racing the claim of two hosts: cancelled or too late, and never both nor neither",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) =>
          n % 3 === 0 ? [succeed(n)] : [waitFor("never")]
        )
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work], slots: 8 })
        const second = yield* world.host({ workflows: [work], slots: 8 })
        yield* look
        const jobs = yield* Effect.forEach(numbers(30), (n) => first.fleet.submit(work, n), {
          concurrency: "unbounded"
        })
        const cancels = yield* Effect.forkChild(
          Effect.forEach(
            jobs,
            ({ jobId }, index) =>
              Effect.exit((index % 2 === 0 ? first : second).fleet.cancel(jobId)).pipe(
                Effect.map((exit) => ({ jobId, cancelled: Exit.isSuccess(exit) }))
              ),
            { concurrency: "unbounded" }
          )
        )
        yield* TestClock.adjust("10 seconds")
        for (const { cancelled, jobId } of yield* Fiber.join(cancels)) {
          const { state } = (yield* world.store.job(jobId)).job
          assert.strictEqual(state, cancelled ? "CANCELLED" : "COMPLETED", jobId)
        }
        assert.strictEqual(scripted.living(), 0)
        const open = yield* world.store.records({
          kind: "intents",
          job: null,
          after: 0,
          limit: 99,
          open: true
        })
        assert.lengthOf(open, 0)
      })
  )

  it.effect("a cancel that waits for a landing keeps no loop busy", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const gate = yield* Deferred.make<void>()
      const lander: Lander = {
        name: "slow",
        land: () =>
          Deferred.succeed(begun, undefined).pipe(
            Effect.andThen(Deferred.await(gate)),
            Effect.as({ _tag: "Landed", reference: null } as const)
          ),
        check: () => Effect.succeed("unknown")
      }
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander })
      const { faults, fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Deferred.await(begun)
      const cancelling = yield* Effect.forkChild(Effect.exit(fleet.cancel(job.jobId)))
      const before = faults.calls("changed")
      yield* TestClock.adjust("2 seconds")
      assert.isAtMost(faults.calls("changed") - before, 25)
      yield* Deferred.succeed(gate, undefined)
      yield* look
      yield* Fiber.join(cancelling)
    })
  )

  it.effect("a job that is being verified is cancelled and not landed", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const gate = {
        name: "slow",
        check: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      }
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { gates: [gate] })
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Deferred.await(asked)
      yield* fleet.cancel(job.jobId)
      yield* World.happened(fleet, ({ event }) => event === "tombstone")
      assert.strictEqual((yield* store.job(job.jobId)).job.state, "CANCELLED")
    })
  )

  it.effect("an agent that succeeds while it is being stopped is noted as late and never landed", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [ScriptedRunner.insistUntil("done"), succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* fleet.cancel(job.jobId)
      const { job: ending } = yield* store.job(job.jobId)
      assert.deepInclude(ending.agent, { state: "abandoned", standing: "ending" })
      assert.strictEqual((yield* fleet.snapshot).usedSlots, 1)
      yield* scripted.release("done")
      yield* World.happened(fleet, ({ event }) => event === "tombstone")
      const stored = yield* store.job(job.jobId)
      assert.deepStrictEqual([stored.job.state, stored.result], ["CANCELLED", null])
    })
  )

  it.effect(
    "a completion that arrives in the turn of its cancel is noted as late: the cancel was first",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
        const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
        const job = yield* fleet.submit(work, 1)
        yield* scripted.started(1)
        // while the loop waits for a commit, both come in
        const before = faults.calls("commit")
        faults.inject({ gate: "commit" })
        const submitting = yield* Effect.forkChild(fleet.submit(work, 2))
        yield* faults.called("commit", before + 1)
        yield* scripted.release("1")
        yield* scripted.until((journal) => journal.some(({ what }) => what === "released"))
        const cancelling = yield* Effect.forkChild(fleet.cancel(job.jobId))
        yield* faults.called("commit", before + 2)
        yield* faults.release("commit")
        yield* Fiber.join(cancelling)
        yield* Fiber.join(submitting)
        const stored = yield* store.job(job.jobId)
        assert.deepStrictEqual([stored.job.state, stored.result], ["CANCELLED", null])
        const events = yield* eventsOf(store, stored.job)
        assert.deepStrictEqual(
          notes(events).map(({ event }) => event),
          ["late_completion"]
        )
        yield* scripted.release("2")
      })
  )

  it.effect("a cancel whose intent is settled before its caller listens is answered all the same", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("never"), succeed(n)])
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      faults.inject({ when: "after", gate: "answer" })
      const cancelling = yield* Effect.forkChild(fleet.cancel(job.jobId), { startImmediately: true })
      // Another process writes something: the host looks at all that is there.
      yield* store.commit({ fence: null, at: 0 })
      yield* look
      yield* World.happened(fleet, ({ event }) => event === "tombstone")
      yield* faults.release("answer")
      yield* look
      yield* Fiber.join(cancelling)
    })
  )

  it.effect(
    "what an operator wants is durable: a cancel that no host saw is carried out by the next one",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work], slots: 1 })
        const job = yield* first.fleet.submit(work, 1)
        yield* scripted.started(1)
        yield* first.crash()
        yield* world.store.commit({ fence: null, at: 0, intents: [World.cancelOf(1)] })
        const second = yield* world.host({ workflows: [work], slots: 1 })
        yield* TestClock.adjust("1 second")
        assert.propertyVal(
          yield* Effect.flip(
            second.fleet.await(job.jobId).pipe(Effect.flatMap(({ job: { state } }) => Effect.fail({ state })))
          ),
          "state",
          "CANCELLED"
        )
        assert.strictEqual(scripted.starts().length, 1)
      })
  )
})
