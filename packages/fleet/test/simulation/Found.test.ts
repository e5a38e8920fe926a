// What simulations have found, told again by hand: each of these has once gone wrong.
import { assert, describe, it } from "@effect/vitest"
import { isOver } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { numbers, scriptedWorkflow } from "../fleet/Scripted.ts"
import * as World from "../fleet/World.ts"

const { beat, fail, sleep, succeed, waitFor } = ScriptedRunner

const hour = 3_600_000

/** A world whose hosts have a wall clock that can be set; their monotonic one goes on. */
const adjustable = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  let shift = 0
  const millis = () => clock.currentTimeMillisUnsafe() + shift
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(shift) * 1_000_000n
  const wall: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
  const world = yield* Effect.provideService(World.make, Clock.Clock, wall)
  return { ...world, set: (by: number) => Effect.sync(() => void (shift += by)) }
})

describe("an intent whose answer was lost", () => {
  it.effect("is carried out all the same, though nothing else changes the store", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [waitFor("never")])
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
      const { jobId } = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* TestClock.adjust("1 second")
      faults.inject({ error: "broken", when: "after" })
      assert.propertyVal(yield* Effect.flip(fleet.cancel(jobId)), "_tag", "ORCH_STORE_BROKEN")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* store.job(jobId)).job.state, "CANCELLED")
    })
  )

  it.effect("of an operator is obeyed too", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { faults, fleet } = yield* World.withHost({ workflows: [work] })
      yield* TestClock.adjust("1 second")
      faults.inject({ error: "broken", when: "after" })
      assert.propertyVal(yield* Effect.flip(fleet.pause()), "_tag", "ORCH_STORE_BROKEN")
      yield* TestClock.adjust("1 second")
      assert.propertyVal(yield* fleet.snapshot, "mode", "paused")
    })
  )

  it.effect("of a replay leaves its new job where the host finds it", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ jobId, n }) =>
        jobId === "memory-1" ? [fail("DQ_BAD")] : [succeed(n)]
      )
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
      const { jobId } = yield* fleet.submit(work, 1)
      assert.strictEqual((yield* fleet.await(jobId)).job.state, "DEAD_LETTERED")
      yield* TestClock.adjust("1 second")
      faults.inject({ error: "broken", when: "after" })
      assert.propertyVal(yield* Effect.flip(fleet.replay(jobId)), "_tag", "ORCH_STORE_BROKEN")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* store.job("2")).job.state, "COMPLETED")
    })
  )
})

describe("a breaker's probe", () => {
  it.effect("that is refused at its payload is followed by the next one at once", () =>
    Effect.gen(function* () {
      const weather = { bad: true }
      const { work } = scriptedWorkflow(({ n }) => (weather.bad ? [fail("EXT_STORM")] : [succeed(n)]), {
        maxRetries: 0,
        breaker: { failures: 3, attempts: 3, probe: "5 seconds" }
      })
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 3 })
      for (const n of numbers(3)) yield* fleet.submit(work, n)
      yield* TestClock.adjust("1 second")
      weather.bad = false
      yield* fleet.submitAll([{ workflowType: "work", payload: "no number", priority: 1 }])
      const job = yield* fleet.submit(work, 9)
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual((yield* store.job("4")).job.state, "DEAD_LETTERED")
      assert.strictEqual(yield* job.result, 9)
    })
  )

  it.effect("that is under way on another host keeps no host busy", () =>
    Effect.gen(function* () {
      const weather = { bad: true }
      const { scripted, work } = scriptedWorkflow(
        ({ n }) => (weather.bad ? [fail("EXT_STORM")] : [waitFor("calm"), succeed(n)]),
        { maxRetries: 0, breaker: { failures: 3, attempts: 3, probe: "5 seconds" } }
      )
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 3 })
      // The probe is due between two looks at the store: whoever comes second hears of it only by asking.
      for (const n of numbers(3)) yield* first.fleet.submit(work, n, { runAt: 137 })
      // In steps, so that the loop is at rest before time goes on.
      for (const _ of numbers(10)) yield* TestClock.adjust(100)
      const hosts = [first, yield* world.host({ workflows: [work], slots: 3 })] as const
      weather.bad = false
      for (const n of numbers(3)) yield* hosts[0].fleet.submit(work, n + 3)
      const calls = hosts.map(({ faults }) => faults.calls("jobs"))
      const probing = yield* Effect.forkChild(scripted.started(4))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(probing)
      // A few peeks, as others write; not one after the other for as long as it takes to hear of the probe.
      for (const [index, { faults }] of hosts.entries())
        assert.isBelow(faults.calls("jobs") - (calls[index] ?? 0), 30)
      yield* scripted.release("calm")
      yield* TestClock.adjust("5 seconds")
      const jobs = yield* world.store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 10 })
      assert.isTrue(jobs.every(({ job }) => isOver(job.state)))
    })
  )
})

describe("a wall clock that is set back by an hour", () => {
  it.effect("keeps no host from seeing what others want", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [waitFor("never")])
      const world = yield* adjustable
      yield* world.set(2 * hour)
      const { fleet } = yield* world.host({ workflows: [work] })
      const { jobId } = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* TestClock.adjust("1 second")
      yield* world.set(-hour)
      yield* world.store.commit({ fence: null, at: hour, intents: [World.cancelOf(1)] })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* world.store.job(jobId)).job.state, "CANCELLED")
    })
  )

  it.effect("lets no agent be silent unseen, and set forward it makes none silent", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(
        ({ incarnation, n }) =>
          incarnation === 1
            ? [waitFor("never")]
            : [beat, sleep("6 seconds"), beat, sleep("6 seconds"), succeed(n)],
        { silence: "8 seconds" }
      )
      const world = yield* adjustable
      yield* world.set(2 * hour)
      const { fleet, faults } = yield* world.host({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* world.set(-hour)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(scripted.starts().length, 2)
      yield* world.set(5_000)
      assert.isAtLeast((yield* fleet.agents)[0]?.silenceAt ?? 0, hour + 5_000)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* job.result, 1)
      assert.strictEqual(scripted.starts().length, 2)
      assert.isAbove(faults.calls("changed"), 200)
    })
  )
})
