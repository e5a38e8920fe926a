// A store that is busy, broken, or no longer this host's.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { beat, fail, succeed, waitFor } = ScriptedRunner

/** Ends another host's epoch, as a host does that has taken it for lost. */
const fenceOff = (world: World.World, host: number) =>
  world.store.fence({ host, epoch: host, beat: null, as: "fenced", at: 0 })

describe("a busy store", () => {
  it.effect("the same signals are decided again, and nothing is doubled (R8)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ attempt, n }) =>
        attempt === 1 ? [fail("EXT_FLAKY")] : [waitFor("open"), succeed(n)]
      )
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
      faults.inject({ error: "busy", times: 7 })
      const submitting = yield* Effect.forkChild(fleet.submit(work, 1))
      yield* TestClock.adjust("1 second")
      const job = yield* Fiber.join(submitting)
      yield* TestClock.adjust("2 seconds")
      yield* scripted.started(2)
      faults.inject({ error: "busy", times: 20 })
      yield* scripted.release("open")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* job.result, 1)
      assert.strictEqual(scripted.starts().length, 2)
      const events = yield* eventsOf(store)
      assert.deepStrictEqual(moves(events, "job"), [
        "submit:submitted",
        "validate:slot_free",
        "accept:payload_valid",
        "schedule_retry:attempt_failed",
        "retry:due",
        "complete:landed"
      ])
    })
  )

  for (const operation of ["jobs", "tally", "changed", "records", "agents", "renew", "events"] as const) {
    it.effect(`a busy ${operation} is asked again, and the fleet goes on`, () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
        const { faults, fleet } = yield* World.withHost({ workflows: [work] })
        const watching = yield* Effect.forkChild(World.happened(fleet, ({ event }) => event === "complete"))
        const before = faults.calls(operation)
        faults.inject({ operation, error: "busy", times: 3 })
        // the snapshot is banked once a minute
        yield* TestClock.adjust(operation === "tally" ? "61 seconds" : "4 seconds")
        const { jobId } = (yield* fleet.submitAll([{ workflowType: "work", payload: 1 }]))[0] ?? { jobId: "" }
        yield* TestClock.adjust("1 second")
        yield* scripted.until((journal) => journal.some(({ what }) => what === "released"))
        yield* TestClock.adjust("4 seconds")
        const ending = yield* Effect.forkChild(fleet.await(jobId))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(ending)).job.state, "COMPLETED")
        yield* Fiber.join(watching)
        assert.isAbove(faults.calls(operation), before + 3)
      })
    )
  }

  it.effect("hides nothing for long: what an operator wanted while it was busy is done when it is free", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [waitFor("never")])
      const world = yield* World.make
      const { faults, fleet } = yield* world.host({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* TestClock.adjust("1 second")
      faults.inject({ operation: "records", error: "busy", times: 3 })
      yield* world.store.commit({ fence: null, at: 0, intents: [World.cancelOf(1)] })
      yield* TestClock.adjust("1 second")
      assert.propertyVal(yield* Effect.flip(job.result), "_tag", "JobFailed")
      assert.strictEqual((yield* fleet.await(job.jobId)).job.state, "CANCELLED")
    })
  )

  it.effect("delays no agent: those at work go on while nothing can be written", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("a"), beat, waitFor("b"), succeed(n)])
      const { faults, fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      faults.inject({ error: "busy", times: 1_000 })
      yield* scripted.release("a")
      yield* TestClock.adjust("10 seconds")
      yield* scripted.release("b")
      yield* scripted.until((journal) => journal.some(({ what }) => what === "released"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* job.result, 1)
    })
  )
})

describe("a host that has lost its fence", () => {
  it.effect(
    "stops without writing: its agents die, its callers are told, and nothing more reaches the store (R20)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
        const world = yield* World.make
        const { fleet } = yield* world.host({ workflows: [work], slots: 2 })
        const jobs = yield* Effect.forEach(numbers(3), (n) => fleet.submit(work, n))
        const waiting = yield* Effect.forEach(jobs, ({ result }) => Effect.forkChild(Effect.flip(result)))
        yield* scripted.started(2)
        yield* fenceOff(world, 1)
        const before = yield* eventsOf(world.store)
        yield* scripted.release("1")
        for (const fiber of waiting) assert.propertyVal(yield* Fiber.join(fiber), "_tag", "ORCH_HOST_FENCED")
        assert.propertyVal(yield* Effect.flip(fleet.ended), "_tag", "ORCH_HOST_FENCED")
        yield* scripted.until(() => scripted.living() === 0)
        assert.propertyVal(yield* Effect.flip(fleet.submit(work, 9)), "_tag", "ORCH_HOST_FENCED")
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* eventsOf(world.store), before)
        assert.strictEqual(scripted.starts().length, 2)
      })
  )

  it.effect("notices it at its next renewal, though it has nothing to write", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.make
      const { fleet } = yield* world.host({ workflows: [work] })
      yield* fenceOff(world, 1)
      const ended = yield* Effect.forkChild(Effect.flip(fleet.ended))
      yield* TestClock.adjust("3 seconds")
      assert.deepInclude(yield* Fiber.join(ended), { _tag: "ORCH_HOST_FENCED", host: 1, epoch: 1 })
    })
  )

  it.effect("a row of its own that has moved under it counts as a lost fence (R8)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const { faults, fleet } = yield* World.withHost({ workflows: [work] })
      yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      faults.inject({ error: "stale" })
      yield* scripted.release("open")
      assert.propertyVal(yield* Effect.flip(fleet.ended), "_tag", "ORCH_HOST_FENCED")
    })
  )

  it.effect(
    "the next host goes on with its work, once the lease of the fenced one is no longer in the way",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
          incarnation === 1 ? [waitFor("never")] : [succeed(n)]
        )
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work] })
        const { jobId } = yield* first.fleet.submit(work, 1)
        yield* scripted.started(1)
        yield* fenceOff(world, 1)
        const second = yield* world.host({ workflows: [work] })
        yield* scripted.started(2)
        const stored = yield* second.fleet.await(jobId)
        assert.deepStrictEqual([stored.job.state, stored.job.retryCount], ["COMPLETED", 0])
        yield* TestClock.adjust("3 seconds")
        assert.propertyVal(yield* Effect.flip(first.fleet.ended), "_tag", "ORCH_HOST_FENCED")
        yield* scripted.until(() => scripted.living() === 0)
      })
  )
})

describe("a broken store", () => {
  it.effect("loses nothing that was committed when its host dies while it lasts", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
        incarnation === 1 && n > 1 ? [waitFor(`${n}`), succeed(n)] : [succeed(n)]
      )
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work] })
      const done = yield* first.fleet.submit(work, 1)
      yield* done.result
      const job = yield* first.fleet.submit(work, 2)
      yield* scripted.started(2)
      first.faults.inject({ error: "broken", times: 9_999 })
      yield* scripted.release("2")
      yield* TestClock.adjust("1 minute")
      yield* first.crash()
      const second = yield* world.host({ workflows: [work] })
      assert.strictEqual((yield* second.fleet.await(job.jobId)).result, "2")
      assert.strictEqual(scripted.starts(done.jobId).length, 1)
    })
  )

  for (const operation of ["commit", "changed", "renew"] as const) {
    it.effect(`whose ${operation} has a bug ends the host aloud: nobody waits for ever`, () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
        const { faults, fleet, log } = yield* World.withHost({ workflows: [work] })
        const job = yield* fleet.submit(work, 1)
        yield* scripted.started(1)
        faults.inject({ operation, error: "defect" })
        const waiting = yield* Effect.forkChild(Effect.exit(job.result))
        if (operation === "commit") yield* scripted.release("open")
        yield* TestClock.adjust("5 seconds")
        assert.include(String(yield* Fiber.join(waiting)), `a defect in ${operation}`)
        assert.include(String(yield* Effect.exit(fleet.ended)), `a defect in ${operation}`)
        assert.include(log.join("\n"), "the host has come to its end")
        assert.strictEqual(scripted.living(), 0)
      })
    )
  }

  it.effect(
    "a commit whose answer was lost is not done again: what is COMPLETED stays so, and runs once (R10)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work] })
        const job = yield* first.fleet.submit(work, 1)
        yield* scripted.started(1)
        first.faults.inject({ error: "broken", when: "after" })
        yield* scripted.release("open")
        yield* Effect.exit(first.fleet.ended).pipe(Effect.timeoutOption("1 second"), Effect.forkChild)
        yield* TestClock.adjust("1 second")
        yield* first.crash()
        const second = yield* world.host({ workflows: [work] })
        yield* TestClock.adjust("1 second")
        const stored = yield* second.fleet.await(job.jobId)
        assert.deepStrictEqual([stored.job.state, stored.result], ["COMPLETED", "1"])
        assert.strictEqual(scripted.starts().length, 1)
      })
  )

  it.effect("a lease that can't be renewed while the disk is full kills nothing (R21)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const { faults, fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      faults.inject({ operation: "renew", error: "broken", times: 20 })
      yield* TestClock.adjust("50 seconds")
      assert.strictEqual(scripted.living(), 1)
      yield* scripted.release("open")
      assert.strictEqual(yield* job.result, 1)
    })
  )

  it.effect("a fleet doesn't start on a store that doesn't answer, and says why", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.make
      const exit = yield* Effect.exit(
        world.host({ workflows: [work] }, (faults) => faults.inject({ operation: "enlist", error: "broken" }))
      )
      assert.isTrue(Exit.hasFails(exit))
      assert.include(String(exit), "ORCH_STORE_BROKEN")
    })
  )
})
