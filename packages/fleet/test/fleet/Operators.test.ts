// Pause, resume, drain and scale: durable wishes that every host obeys, whoever has them and whenever.
import { assert, describe, it } from "@effect/vitest"
import { Store } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Operations from "../../src/jobs/Operations.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, succeed, waitFor } = ScriptedRunner

/** Every host has looked by then. */
const look = TestClock.adjust("1 second")

const waiting = (name?: string) =>
  scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)], name === undefined ? {} : { name })

/** A wish from another process. */
const wish = (
  world: Pick<World.World, "store">,
  kind: Operations.HostWish["kind"],
  given: Partial<Operations.HostWish> = {}
) =>
  Effect.provideService(
    Operations.ask({
      kind,
      host: null,
      value: null,
      reason: null,
      actor: "operator:ana",
      requestId: null,
      ...given
    }),
    Store,
    world.store
  )

const openKinds = ({ store }: Pick<World.World, "store">) =>
  Effect.map(Operations.openIntents(store), (open) => open.map(({ kind }) => kind))

describe("a pause", () => {
  it.effect("lets what runs go on and land, and starts nothing; a resume goes on with what waits (R22)", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 2 })
      const jobs = yield* Effect.forEach(numbers(3), (n) => fleet.submit(work, n))
      yield* scripted.started(2)
      assert.deepStrictEqual(yield* fleet.pause({ actor: "operator:ana", reason: "deploying" }), {
        intent: 1,
        outcome: null
      })
      assert.strictEqual((yield* fleet.snapshot).mode, "paused")
      yield* scripted.release("1")
      yield* scripted.release("2")
      yield* Effect.forEach(jobs.slice(0, 2), ({ result }) => result)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(scripted.starts().length, 2)
      const [open] = yield* Operations.openIntents(store)
      assert.deepInclude(open, { kind: "pause", actor: "operator:ana", reason: "deploying" })
      assert.deepStrictEqual(yield* fleet.resume(), { intent: 2, outcome: "resumed" })
      yield* scripted.started(3)
      yield* scripted.release("3")
      assert.deepStrictEqual(yield* openKinds({ store }), [])
      assert.strictEqual((yield* fleet.snapshot).mode, "running")
    })
  )

  it.effect("from another process stops all hosts, and jobs that are submitted meanwhile wait", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1 })
      const second = yield* world.host({ workflows: [work], slots: 1 })
      yield* wish(world, "pause")
      yield* look
      const job = yield* first.fleet.submit(work, 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(scripted.starts().length, 0)
      for (const { fleet } of [first, second]) assert.strictEqual((yield* fleet.snapshot).mode, "paused")
      yield* wish(world, "resume")
      yield* look
      yield* scripted.started(1)
      yield* scripted.release("1")
      yield* job.result
      assert.deepStrictEqual(yield* openKinds(world), [])
    })
  )

  it.effect("survives the crash of every host, and wins over the recovery of what they left behind", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1 })
      const job = yield* first.fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* wish(world, "pause")
      yield* first.crash()
      const second = yield* world.host({ workflows: [work], slots: 1 })
      yield* World.happened(second.fleet, ({ transitionReason }) => transitionReason === "host_lost", 2)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* second.fleet.snapshot).mode, "paused")
      const { job: adopted } = yield* world.store.job(job.jobId)
      assert.deepInclude(adopted, { state: "RETRY_SCHEDULED", retryCount: 0 })
      assert.strictEqual(scripted.starts().length, 1)
      yield* second.fleet.resume()
      yield* scripted.started(2)
    })
  )

  it.effect("leaves a retry that becomes due scheduled (R22)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ attempt }) =>
        attempt === 1 ? [fail("EXT_FLAKY")] : [succeed(1)]
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* World.happened(fleet, ({ event }) => event === "schedule_retry")
      yield* fleet.pause()
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* store.job(job.jobId)).job.state, "RETRY_SCHEDULED")
      assert.strictEqual(scripted.starts().length, 1)
      yield* fleet.resume()
      assert.strictEqual(yield* job.result, 1)
    })
  )

  it.effect(
    "that a later resume ends never holds, however late and in whatever order a host sees them (R11)",
    () =>
      Effect.gen(function* () {
        const { work } = waiting()
        const world = yield* World.make
        yield* wish(world, "pause")
        yield* wish(world, "resume")
        const { fleet } = yield* world.host({ workflows: [work] })
        yield* look
        assert.strictEqual((yield* fleet.snapshot).mode, "running")
        assert.deepStrictEqual(yield* openKinds(world), [])
        yield* wish(world, "resume")
        yield* wish(world, "pause")
        yield* look
        assert.strictEqual((yield* fleet.snapshot).mode, "paused")
      })
  )

  it.effect("is answered as the first time when its request is repeated, also after a resume (R24)", () =>
    Effect.gen(function* () {
      const { work } = waiting()
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const first = yield* fleet.pause({ requestId: "once" })
      assert.deepStrictEqual(yield* fleet.pause({ requestId: "once" }), first)
      const resumed = yield* fleet.resume({ requestId: "and back" })
      assert.deepStrictEqual(yield* fleet.pause({ requestId: "once" }), { ...first, outcome: "resumed" })
      assert.strictEqual((yield* fleet.snapshot).mode, "running")
      yield* fleet.pause()
      assert.deepStrictEqual(yield* fleet.resume({ requestId: "and back" }), resumed)
      assert.strictEqual((yield* fleet.snapshot).mode, "paused")
      yield* fleet.resume()
      assert.propertyVal(yield* fleet.resume(), "outcome", "not_paused")
    })
  )

  it.effect("is followed by starts that are spread: the slots fill up one by one (R22)", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 4 })
      yield* fleet.pause()
      yield* Effect.forEach(numbers(8), (n) => fleet.submit(work, n))
      const started = () => scripted.starts().length
      yield* fleet.resume()
      yield* scripted.started(1)
      for (const count of [2, 3, 4]) {
        yield* TestClock.adjust("499 millis")
        assert.strictEqual(started(), count - 1)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(started(), count)
      }
      // from now on a freed slot is filled at once
      yield* scripted.release("1")
      yield* scripted.started(5)
    })
  )

  it.effect("is what the host banks, so that a look without hosts knows it", () =>
    Effect.gen(function* () {
      const { work } = waiting()
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 3 })
      const banked = Effect.map(
        store.records({ kind: "banks", job: null, after: 0, limit: 9 }),
        ([bank]) => JSON.parse(bank?.row.bank ?? "null") as Record<string, unknown> // what Loop.ts writes
      )
      yield* look
      assert.deepInclude(yield* banked, { mode: "running", slots: 3 })
      yield* fleet.pause()
      yield* look
      assert.deepInclude(yield* banked, { mode: "paused", slots: 3 })
      yield* fleet.scale(5)
      yield* look
      assert.deepInclude(yield* banked, { mode: "paused", slots: 5 })
    })
  )
})

describe("a drain", () => {
  it.effect("of one host lets that one run dry while the others work on; then it works again", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1 })
      yield* first.fleet.submit(work, 1)
      yield* scripted.started(1)
      const second = yield* world.host({ workflows: [work], slots: 1 })
      const { host } = yield* first.fleet.snapshot
      const draining = yield* Effect.forkChild(second.fleet.drain({ host }), { startImmediately: true })
      yield* look
      assert.strictEqual((yield* first.fleet.snapshot).mode, "draining")
      assert.strictEqual((yield* second.fleet.snapshot).mode, "running")
      yield* second.fleet.submit(work, 2)
      yield* second.fleet.submit(work, 3)
      yield* scripted.started(2)
      yield* scripted.release("2")
      yield* scripted.started(3)
      assert.strictEqual((yield* first.fleet.snapshot).usedSlots, 1)
      assert.isUndefined(draining.pollUnsafe())
      yield* scripted.release("1")
      yield* look
      assert.propertyVal(yield* Fiber.join(draining), "outcome", "drained")
      yield* first.fleet.submit(work, 4)
      yield* look
      yield* scripted.started(4)
      assert.strictEqual((yield* first.fleet.snapshot).usedSlots, 1)
    })
  )

  it.effect("of all hosts ends when the last of them runs nothing (R22)", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1 })
      yield* first.fleet.submit(work, 1)
      yield* scripted.started(1)
      const second = yield* world.host({ workflows: [work], slots: 1 })
      yield* second.fleet.submit(work, 2)
      yield* scripted.started(2)
      yield* second.fleet.submit(work, 3)
      const draining = yield* Effect.forkChild(first.fleet.drain(), { startImmediately: true })
      yield* scripted.release("1")
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(draining.pollUnsafe())
      assert.strictEqual(scripted.starts().length, 2)
      yield* scripted.release("2")
      yield* look
      assert.propertyVal(yield* Fiber.join(draining), "outcome", "drained")
      yield* scripted.started(3)
    })
  )

  it.effect("isn't over for a host that has claimed a job before it saw the drain", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const { work: other } = waiting("other")
      const world = yield* World.make
      const first = yield* world.host({ workflows: [other], slots: 1 })
      const second = yield* world.host({ workflows: [work], slots: 1 })
      yield* look
      // The second host's claim is on its way when the first one looks around, and sees nothing that runs.
      second.faults.inject({ nth: 2, gate: "claim" })
      const claim = second.faults.calls("commit") + 2
      yield* Effect.forkChild(second.fleet.submit(work, 1))
      yield* second.faults.called("commit", claim)
      const draining = yield* Effect.forkChild(first.fleet.drain(), { startImmediately: true })
      yield* TestClock.adjust("200 millis")
      yield* second.faults.release("claim")
      yield* scripted.started(1)
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(draining.pollUnsafe())
      yield* scripted.release("1")
      yield* look
      assert.propertyVal(yield* Fiber.join(draining), "outcome", "drained")
    })
  )

  it.effect("of a host that is lost ends when it is fenced; one of an unknown host is refused", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1 })
      const { host } = yield* first.fleet.snapshot
      yield* first.fleet.submit(work, 1)
      yield* scripted.started(1)
      const second = yield* world.host({ workflows: [work], slots: 1 })
      const draining = yield* Effect.forkChild(second.fleet.drain({ host }), { startImmediately: true })
      yield* look
      yield* first.crash("unseen")
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(draining.pollUnsafe())
      yield* TestClock.adjust("20 seconds")
      assert.propertyVal(yield* Fiber.join(draining), "outcome", "host_gone")
      const error = yield* Effect.flip(second.fleet.drain({ host: 99 }))
      assert.deepInclude(error, { _tag: "ORCH_HOST_NOT_FOUND", host: 99 })
      assert.deepStrictEqual(yield* openKinds(world), [])
    })
  )

  it.effect("survives a restart: nothing runs then, so that it is over at once", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const world = yield* World.make
      yield* wish(world, "drain")
      const { fleet } = yield* world.host({ workflows: [work] })
      yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      const rows = yield* world.store.records({ kind: "intents", job: null, after: 0, limit: 9 })
      assert.strictEqual(rows[0]?.row.outcome, "drained")
    })
  )
})

describe("a scale", () => {
  it.effect("up fills the new slots at once; down lets agents finish and kills none", () =>
    Effect.gen(function* () {
      const { scripted, work } = waiting()
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      yield* Effect.forEach(numbers(6), (n) => fleet.submit(work, n))
      yield* scripted.started(1)
      yield* fleet.scale(3, { actor: "operator:ana" })
      yield* scripted.started(3)
      yield* fleet.scale(1)
      assert.deepInclude(yield* fleet.snapshot, { slots: 1, usedSlots: 3 })
      yield* scripted.release("1")
      yield* scripted.release("2")
      yield* World.happened(fleet, ({ event }) => event === "complete", 2)
      yield* look
      assert.strictEqual(scripted.starts().length, 3)
      assert.isFalse(scripted.journal.some(({ what }) => what === "interrupted"))
      yield* scripted.release("3")
      yield* scripted.started(4)
    })
  )

  it.effect(
    "of all hosts holds for one that starts later, one of a single host for that alone; a reset ends it (R22)",
    () =>
      Effect.gen(function* () {
        const { work } = waiting()
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work], slots: 1 })
        yield* first.fleet.scale(7)
        const { host } = yield* first.fleet.snapshot
        yield* first.fleet.scale(2, { host })
        yield* first.stop
        const second = yield* world.host({ workflows: [work], slots: 1 })
        yield* look
        assert.strictEqual((yield* second.fleet.snapshot).slots, 7)
        const rows = yield* world.store.records({ kind: "intents", job: null, after: 0, limit: 9 })
        assert.deepStrictEqual(
          rows.map(({ row }) => row.outcome),
          [null, "host_gone"]
        )
        yield* second.fleet.scale(null)
        yield* look
        assert.strictEqual((yield* second.fleet.snapshot).slots, 1)
        assert.deepStrictEqual(yield* openKinds(world), [])
      })
  )

  it.effect("back to the start answers what has come of it, where nothing older is held off by it", () =>
    Effect.gen(function* () {
      const { work } = waiting()
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      const { host } = yield* fleet.snapshot
      assert.propertyVal(yield* fleet.scale(7), "outcome", null)
      assert.propertyVal(yield* fleet.scale(null, { host }), "outcome", null, "it is held against the seven")
      assert.propertyVal(yield* fleet.scale(null), "outcome", "reset")
    })
  )

  it.effect("to nothing, or to what is no number, is refused", () =>
    Effect.gen(function* () {
      const { work } = waiting()
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      for (const slots of [0, -1, 1.5, Number.NaN])
        assert.propertyVal(yield* Effect.flip(fleet.scale(slots)), "_tag", "ORCH_CONFIG_INVALID")
      assert.deepStrictEqual(yield* openKinds({ store }), [])
    })
  )
})
