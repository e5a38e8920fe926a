// How a fleet ends: drained, stopped, and what it gives back.
import { assert, describe, it } from "@effect/vitest"
import { type Lander, Plugin } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { cleanUpUntil, insistUntil, sleep, succeed, waitFor } = ScriptedRunner

describe("drain", () => {
  it.effect("takes no new job, lets the running ones end, returns when nothing runs, and then works on", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 2 })
      const jobs = yield* Effect.forEach(numbers(4), (n) => fleet.submit(work, n))
      yield* scripted.started(2)
      const draining = yield* Effect.forkChild(fleet.drain(), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* fleet.snapshot).mode, "draining")
      yield* scripted.release("1")
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(draining.pollUnsafe())
      assert.strictEqual(scripted.starts().length, 2)
      yield* scripted.release("2")
      yield* World.happened(fleet, ({ event }) => event === "complete", 2)
      for (const [index, { jobId }] of jobs.entries()) {
        assert.strictEqual((yield* store.job(jobId)).job.state, index < 2 ? "COMPLETED" : "PENDING")
      }
      yield* TestClock.adjust("1 second")
      assert.propertyVal(yield* Fiber.join(draining), "outcome", "drained")
      yield* scripted.started(4)
      assert.strictEqual((yield* fleet.snapshot).mode, "running")
    })
  )

  it.effect("of an idle fleet returns at once, and a retry that becomes due later is not held up", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ attempt }) =>
        attempt === 1 ? [ScriptedRunner.fail("EXT_FLAKY")] : [succeed(1)]
      )
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* World.happened(fleet, ({ event }) => event === "schedule_retry")
      assert.propertyVal(yield* fleet.drain(), "outcome", "drained")
      assert.strictEqual(scripted.starts().length, 1)
      yield* TestClock.adjust("1 minute")
      yield* job.result
    })
  )
})

describe("a graceful stop", () => {
  it.effect(
    "hands work back unburnt: due now, its agent abandoned with host_shutdown, and interruption is no failure (R2)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("never"), succeed(n)])
        const { fleet, stop, store } = yield* World.withHost({ workflows: [work] })
        const job = yield* fleet.submit(work, 1)
        yield* scripted.started(1)
        yield* TestClock.setTime(1_000)
        yield* stop
        const { job: handed } = yield* store.job(job.jobId)
        assert.deepInclude(handed, {
          state: "RETRY_SCHEDULED",
          retryCount: 0,
          lastErrorCode: null,
          runAt: 1_000
        })
        assert.deepInclude(handed.agent, {
          state: "abandoned",
          standing: "waiting",
          owner: null,
          restarts: []
        })
        const events = yield* eventsOf(store, handed)
        assert.include(moves(events, "job"), "schedule_retry:host_shutdown")
        assert.include(moves(events, "agent"), "abandon:host_shutdown")
        assert.deepStrictEqual(
          scripted.journal.map(({ what }) => what),
          ["started", "interrupted", "released"]
        )
        const [host] = yield* store.records({ kind: "hosts", job: null, after: 0, limit: 10 })
        assert.strictEqual(host?.row.state, "stopped")
      })
  )

  it.effect("the next host goes on where it ended: same attempt, next incarnation, and at once", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
        incarnation === 1 ? [waitFor("never")] : [succeed(n)]
      )
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work] })
      const { jobId } = yield* first.fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* first.stop
      const second = yield* world.host({ workflows: [work] })
      assert.strictEqual((yield* second.fleet.await(jobId)).result, "1")
      assert.deepStrictEqual(
        scripted.starts().map(({ attempt, incarnation }) => [attempt, incarnation]),
        [
          [1, 1],
          [1, 2]
        ]
      )
    })
  )

  it.effect("lets agents finish for as long as it may drain, and hands the rest back", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [sleep(n * 10_000), succeed(n)])
      const { fleet, stop, store } = yield* World.withHost({
        workflows: [work],
        slots: 3,
        drain: "25 seconds"
      })
      const jobs = yield* Effect.forEach(numbers(5), (n) => fleet.submit(work, n))
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(stopping)
      const states: Array<string> = []
      for (const { jobId } of jobs) states.push((yield* store.job(jobId)).job.state)
      assert.deepStrictEqual(states, ["COMPLETED", "COMPLETED", "RETRY_SCHEDULED", "PENDING", "PENDING"])
    })
  )

  it.effect("waits for the finalisers of what it interrupts", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [cleanUpUntil("clean"), waitFor("never")])
      const { fleet, stop, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(stopping.pollUnsafe())
      assert.strictEqual((yield* store.job(job.jobId)).job.agent?.standing, "ending")
      yield* scripted.release("clean")
      yield* Fiber.join(stopping)
      assert.strictEqual((yield* store.job(job.jobId)).job.agent?.standing, "waiting")
    })
  )

  it.effect("is over within its total time, whatever agents and drains do", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [insistUntil("late")])
      const { fleet, stop } = yield* World.withHost({
        workflows: [work],
        drain: "1 hour",
        stop: "30 seconds"
      })
      yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("46 seconds")
      yield* Fiber.join(stopping)
      yield* scripted.release("late")
    })
  )

  it.effect(
    "is over within its time, though the store stays busy: what it could not hand back is adopted",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
          incarnation === 1 ? [waitFor("never")] : [succeed(n)]
        )
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work], stop: "30 seconds" })
        const { jobId } = yield* first.fleet.submit(work, 1)
        yield* scripted.started(1)
        for (const operation of ["commit", "fence", "renew", "tally", "changed"] as const) {
          first.faults.inject({ operation, error: "busy", times: 100_000 })
        }
        const stopping = yield* Effect.forkChild(first.stop)
        yield* TestClock.adjust("32 seconds")
        yield* Fiber.join(stopping)
        assert.strictEqual(scripted.living(), 0)
        assert.include(world.log.join("\n"), "the host could not be signed off")
        const second = yield* world.host({ workflows: [work] })
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual((yield* second.fleet.await(jobId)).result, "1")
      })
  )

  it.effect("doesn't take a landing back that has begun: it ends by its own answer", () =>
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
      const { fleet, stop, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Deferred.await(begun)
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("5 seconds")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(stopping)
      assert.strictEqual((yield* store.job(job.jobId)).job.state, "COMPLETED")
    })
  )

  it.effect("stops agents before it unloads the plugins they use, last loaded first", () =>
    Effect.gen(function* () {
      const story: Array<string> = []
      const plugin = (name: string) =>
        Plugin.make({
          name,
          version: "1.0.0",
          make: Effect.acquireRelease(
            Effect.sync(() => {
              story.push(`load ${name}`)
              return {}
            }),
            () => Effect.sync(() => story.push(`unload ${name}`))
          )
        })
      const { scripted, work } = scriptedWorkflow(() => [waitFor("never")])
      const { fleet, stop } = yield* World.withHost({
        workflows: [work],
        plugins: [plugin("a"), plugin("b")]
      })
      yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* Effect.forkChild(
        Effect.andThen(
          scripted.until((journal) => journal.some(({ what }) => what === "released")),
          Effect.sync(() => story.push("agent gone"))
        ),
        { startImmediately: true }
      )
      yield* stop
      assert.deepStrictEqual(story, ["load a", "load b", "agent gone", "unload b", "unload a"])
    })
  )

  it.effect("lets go of everybody who waits: interrupted, not failed", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [waitFor("never")])
      const { fleet, stop } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      const waits: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        job.result,
        fleet.await(job.jobId),
        fleet.ended
      ]
      const waiting = yield* Effect.forEach(waits, (wait) => Effect.forkChild(wait))
      yield* stop
      for (const fiber of waiting) {
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.hasInterrupts(exit))
        assert.isFalse(Exit.hasFails(exit))
      }
      assert.isTrue(Exit.hasInterrupts(yield* Effect.exit(Effect.scoped(fleet.submit(work, 2)))))
    })
  )

  it.effect("loses no submission that it has answered", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1 })
      const submitting = yield* Effect.forkChild(
        first.fleet.submitAll(numbers(200).map((payload) => ({ workflowType: "work", payload })))
      )
      yield* scripted.started(1)
      yield* first.stop
      const answered = yield* Fiber.await(submitting)
      const submitted = Exit.isSuccess(answered) ? answered.value : []
      const second = yield* world.host({ workflows: [work], slots: 4 })
      for (const { jobId } of submitted) {
        assert.strictEqual((yield* second.fleet.await(jobId)).job.state, "COMPLETED")
        assert.isAtLeast(scripted.starts(jobId).length, 1)
      }
    })
  )
})
