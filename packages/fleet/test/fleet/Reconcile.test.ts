// Landings of which nobody knows whether they happened (R27), and work that is finished and need not be done again (R5).
import { assert, describe, it } from "@effect/vitest"
import type { Gate, Lander, LandingOrder, Verdict, Workspaces } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, succeed } = ScriptedRunner

/** A target that knows what has landed. Its landings do what the test says, one after the other; then they just land. */
const target = (plays: ReadonlyArray<"lands" | "lands and hangs" | "hangs" | "fails"> = []) => {
  const orders: Array<LandingOrder> = []
  const asked: Array<LandingOrder> = []
  const begun = Deferred.makeUnsafe<void>()
  const state = { landed: 0, knows: true }
  const lander: Lander = {
    name: "target",
    land: (order) =>
      Effect.suspend(() => {
        const play = plays[orders.push(order) - 1] ?? "lands"
        if (play === "lands" || play === "lands and hangs") state.landed++
        if (play === "lands") return Effect.succeed({ _tag: "Landed", reference: "here" } as const)
        if (play === "fails") return Effect.fail("connection reset")
        return Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      }),
    check: (order) =>
      Effect.sync(() => {
        asked.push(order)
        return !state.knows ? "unknown" : state.landed > 0 ? "landed" : "absent"
      })
  }
  return { lander, orders, asked, state, begun: Deferred.await(begun) }
}

/** A host is killed in the middle of a landing, and another one takes over. */
const killedWhile = Effect.fnUntraced(function* (play: "lands and hangs" | "hangs", knows = true) {
  const place = target([play])
  place.state.knows = knows
  const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander: place.lander })
  const world = yield* World.make
  const first = yield* world.host({ workflows: [work] })
  const { jobId } = yield* first.fleet.submit(work, 7)
  yield* place.begun
  yield* first.crash()
  const second = yield* world.host({ workflows: [work] })
  return { ...world, ...place, scripted, work, jobId, fleet: second.fleet }
})

describe("a landing whose host was killed", () => {
  it.effect("and that has happened completes its job, without work or landing a second time", () =>
    Effect.gen(function* () {
      const { asked, fleet, jobId, orders, scripted, state, store } = yield* killedWhile("lands and hangs")
      const { job, result } = yield* fleet.await(jobId)
      assert.deepStrictEqual([job.state, result, state.landed], ["COMPLETED", "7", 1])
      assert.deepStrictEqual([orders.length, asked.length, scripted.starts().length], [1, 1, 1])
      // the order is the one that was stored, under the new host's token
      assert.deepInclude(asked[0], { result: "7", fencingToken: 2 })
      assert.strictEqual(asked[0]?.assignment.idempotencyKey, orders[0]?.assignment.idempotencyKey)
      const agent = moves(yield* eventsOf(store, job), "agent")
      assert.includeMembers([...agent], ["abandon:host_lost", "recover:recover", "land:commit_verified"])
      assert.strictEqual(job.retryCount, 0)
    })
  )

  it.effect("and that has not happened is landed by the next host, without work a second time", () =>
    Effect.gen(function* () {
      const { asked, fleet, jobId, orders, scripted, state } = yield* killedWhile("hangs")
      const { job, result } = yield* fleet.await(jobId)
      assert.deepStrictEqual([job.state, result, state.landed], ["COMPLETED", "7", 1])
      assert.deepStrictEqual([orders.length, asked.length, scripted.starts().length], [2, 1, 1])
    })
  )

  it.effect("is asked about again until the lander knows, and nobody may cancel it meanwhile", () =>
    Effect.gen(function* () {
      const { asked, fleet, jobId, state, store } = yield* killedWhile("lands and hangs", false)
      yield* World.happened(fleet, ({ transitionReason }) => transitionReason === "landing_unknown")
      assert.deepInclude((yield* store.job(jobId)).job.agent, { standing: "landing_unknown", owner: null })
      const cancelling = yield* Effect.forkChild(Effect.flip(fleet.cancel(jobId)), { startImmediately: true })
      yield* TestClock.adjust("20 seconds")
      assert.isUndefined(cancelling.pollUnsafe())
      assert.isAtLeast(asked.length, 2)
      state.knows = true
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* Fiber.join(cancelling))._tag, "ORCH_CANCEL_TOO_LATE")
      assert.strictEqual((yield* fleet.await(jobId)).job.state, "COMPLETED")
    })
  )

  it.effect("and that has not happened is not landed when a cancel waits for the answer", () =>
    Effect.gen(function* () {
      const { fleet, jobId, orders, state } = yield* killedWhile("hangs", false)
      yield* World.happened(fleet, ({ transitionReason }) => transitionReason === "landing_unknown")
      const cancelling = yield* Effect.forkChild(fleet.cancel(jobId), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      state.knows = true
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(cancelling)
      const { job } = yield* fleet.await(jobId)
      assert.deepStrictEqual([job.state, orders.length, state.landed], ["CANCELLED", 1, 0])
      assert.strictEqual(job.agent?.state, "tombstoned")
    })
  )

  it.effect("is nobody's to ask who doesn't serve its workflow", () =>
    Effect.gen(function* () {
      const place = target(["hangs"])
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander: place.lander })
      const other = scriptedWorkflow(() => [succeed(1)], { name: "other" })
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work] })
      const { jobId } = yield* first.fleet.submit(work, 7)
      yield* place.begun
      yield* first.crash()
      const stranger = yield* world.host({ workflows: [other.work] })
      yield* World.happened(stranger.fleet, ({ event }) => event === "schedule_retry")
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(place.asked, 0)
      const second = yield* world.host({ workflows: [work] })
      assert.strictEqual((yield* second.fleet.await(jobId)).job.state, "COMPLETED")
    })
  )
})

describe("a host that stops in the middle of a landing", () => {
  it.effect("waits for its answer within the deadline, and then leaves it to be adopted", () =>
    Effect.gen(function* () {
      const place = target(["lands and hangs"])
      const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander: place.lander })
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], stop: "10 seconds" })
      const { jobId } = yield* first.fleet.submit(work, 7)
      yield* place.begun
      const stopping = yield* Effect.forkChild(first.stop, { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(stopping.pollUnsafe())
      assert.deepInclude((yield* world.store.job(jobId)).job.agent, { state: "working", phase: "land" })
      yield* TestClock.adjust("20 seconds")
      yield* Fiber.join(stopping)
      const second = yield* world.host({ workflows: [work] })
      const { job } = yield* second.fleet.await(jobId)
      assert.deepStrictEqual([job.state, place.orders.length, place.state.landed], ["COMPLETED", 1, 1])
      assert.strictEqual(scripted.starts().length, 1)
    })
  )
})

/** Gates that the test holds up: the first verification hangs. */
const slowGate = () => {
  const begun = Deferred.makeUnsafe<void>()
  let checks = 0
  const gate: Gate = {
    name: "slow",
    check: () =>
      ++checks === 1
        ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        : Effect.succeed({ _tag: "Pass" } as const)
  }
  return { gate, begun: Deferred.await(begun), checks: () => checks }
}

/** Places that stand until the test takes them away. */
const places = () => {
  const standing = new Set<string>()
  const workspaces: Workspaces = {
    name: "places",
    prepare: ({ incarnation, previous }) =>
      Effect.sync(() => {
        const ref = previous !== null && standing.has(previous) ? previous : `/w/${incarnation}`
        standing.add(ref)
        return { ref, path: ref }
      }),
    check: () => Effect.void,
    find: (ref) => Effect.succeed(standing.has(ref) ? { ref, path: ref } : null),
    archive: () => Effect.succeed([]),
    remove: () => Effect.succeed({ _tag: "Removed" } as const)
  }
  return { standing, workspaces }
}

describe("work that is finished", () => {
  for (const end of ["killed", "stopped"] as const)
    it.effect(
      `is not done again when its host is ${end} while its gates run: the next one verifies (R5)`,
      () =>
        Effect.gen(function* () {
          const { begun, checks, gate } = slowGate()
          const { workspaces } = places()
          const { scripted, work } = scriptedWorkflow(({ incarnation }) => [succeed(incarnation)], {
            gates: [gate],
            workspace: workspaces
          })
          const world = yield* World.make
          const first = yield* world.host({ workflows: [work] })
          const { jobId } = yield* first.fleet.submit(work, 1)
          yield* begun
          yield* end === "killed" ? first.crash() : first.stop
          const second = yield* world.host({ workflows: [work] })
          const { job, result } = yield* second.fleet.await(jobId)
          assert.deepStrictEqual([job.state, result, job.retryCount], ["COMPLETED", "1", 0])
          assert.strictEqual(scripted.starts().length, 1)
          assert.strictEqual(checks(), 2)
          assert.strictEqual(job.agent?.incarnation, 2)
        })
    )

  it.effect(
    "is done again when its workspace is gone, and what is verified then is what was made there",
    () =>
      Effect.gen(function* () {
        const { begun, gate } = slowGate()
        const { standing, workspaces } = places()
        const { scripted, work } = scriptedWorkflow(({ incarnation }) => [succeed(incarnation)], {
          gates: [gate],
          workspace: workspaces
        })
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work] })
        const { jobId } = yield* first.fleet.submit(work, 1)
        yield* begun
        yield* first.crash()
        standing.clear()
        const second = yield* world.host({ workflows: [work] })
        assert.strictEqual((yield* second.fleet.await(jobId)).result, "2")
        assert.strictEqual(scripted.starts().length, 2)
      })
  )

  it.effect("is done again after a gate has turned it down", () =>
    Effect.gen(function* () {
      let checks = 0
      const gate: Gate = {
        name: "strict",
        check: () =>
          Effect.sync((): Verdict =>
            ++checks === 1 ? { _tag: "Reject", reasons: ["no"] } : { _tag: "Pass" }
          )
      }
      const { scripted, work } = scriptedWorkflow(({ incarnation }) => [succeed(incarnation)], {
        gates: [gate]
      })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const { jobId } = yield* fleet.submit(work, 1)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* fleet.await(jobId)).result, "2")
      assert.strictEqual(scripted.starts().length, 2)
    })
  )

  it.effect(
    "doesn't spare a job that kills its host each time it is verified: its restart budget is not renewed by it",
    () =>
      Effect.gen(function* () {
        const begun: Array<Deferred.Deferred<void>> = Array.from({ length: 7 }, () =>
          Deferred.makeUnsafe<void>()
        )
        let checks = 0
        const gate: Gate = {
          name: "deadly",
          check: () =>
            Effect.suspend(() => {
              const mine = begun[checks++]
              return Effect.andThen(
                mine === undefined ? Effect.void : Deferred.succeed(mine, undefined),
                Effect.never
              )
            })
        }
        const { scripted, work } = scriptedWorkflow(() => [succeed(1)], { gates: [gate] })
        const world = yield* World.make
        let host = yield* world.host({ workflows: [work] })
        const { jobId } = yield* host.fleet.submit(work, 1)
        for (let n = 0; n < 6; n++) {
          yield* Deferred.await(begun[n] ?? Deferred.makeUnsafe<void>())
          yield* host.crash()
          host = yield* world.host({ workflows: [work] })
        }
        const { job } = yield* host.fleet.await(jobId)
        assert.strictEqual(job.state, "DEAD_LETTERED")
        assert.strictEqual(scripted.starts().length, 1)
      })
  )

  it.effect("of an attempt that failed later than that of another one is never mistaken for it", () =>
    Effect.gen(function* () {
      const place = target()
      const { begun, gate } = slowGate()
      const { scripted, work } = scriptedWorkflow(
        ({ attempt, incarnation }) =>
          attempt === 1 && incarnation === 2 ? [fail("EXT_FLAKY")] : [succeed(incarnation)],
        { gates: [gate], lander: place.lander, workspace: places().workspaces }
      )
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work] })
      const { jobId } = yield* first.fleet.submit(work, 1)
      yield* begun
      yield* first.crash()
      const second = yield* world.host({ workflows: [work] })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* second.fleet.await(jobId)).result, "1")
      assert.strictEqual(scripted.starts().length, 1)
      assert.strictEqual(place.state.landed, 1)
    })
  )
})
