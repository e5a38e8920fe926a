// The audit as a stream: from a cursor, live, of one job or of all.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { succeed, waitFor } = ScriptedRunner

describe("events", () => {
  it.effect("come from the start and go on live, without a gap or a repetition", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      for (const n of numbers(5)) yield* (yield* fleet.submit(work, n)).result
      const reading = yield* Effect.forkChild(
        fleet.events({ after: 0 }).pipe(
          Stream.takeUntil(({ event, jobId }) => event === "clean" && jobId === "memory-10"),
          Stream.runCollect
        )
      )
      for (const n of numbers(5)) yield* (yield* fleet.submit(work, n + 5)).result
      const read = yield* Fiber.join(reading)
      assert.deepStrictEqual(read, yield* eventsOf(store))
    })
  )

  it.effect("come from a cursor on", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      for (const n of numbers(3)) yield* (yield* fleet.submit(work, n)).result
      const all = yield* eventsOf(store)
      const read = yield* fleet.events({ after: 10 }).pipe(Stream.take(all.length - 10), Stream.runCollect)
      assert.deepStrictEqual(read, all.slice(10))
    })
  )

  it.effect("come from now on when no cursor is named", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work] })
      yield* (yield* fleet.submit(work, 1)).result
      const reading = yield* Effect.forkChild(fleet.events().pipe(Stream.take(1), Stream.runCollect), {
        startImmediately: true
      })
      yield* Effect.yieldNow
      const second = yield* fleet.submit(work, 2)
      const [first] = yield* Fiber.join(reading)
      assert.deepInclude(first, { event: "submit", jobId: second.jobId })
    })
  )

  it.effect("of one job leave out the others", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const [one, two] = [yield* fleet.submit(work, 1), yield* fleet.submit(work, 2)]
      const reading = yield* Effect.forkChild(
        fleet.events({ after: 0, jobId: two.jobId }).pipe(
          Stream.takeUntil(({ event }) => event === "clean"),
          Stream.runCollect
        )
      )
      yield* scripted.release("1")
      yield* one.result
      yield* scripted.release("2")
      const read = yield* Fiber.join(reading)
      const { job } = yield* store.job(two.jobId)
      assert.deepStrictEqual(read, yield* eventsOf(store, job))
      assert.strictEqual(read.length, 8)
    })
  )

  it.effect("of what is no job's id are ORCH_JOB_NOT_FOUND", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work] })
      for (const jobId of ["", "elsewhere-1", "memory-0", "memory-1x"]) {
        const error = yield* Effect.flip(Stream.runDrain(fleet.events({ after: 0, jobId })))
        assert.propertyVal(error, "_tag", "ORCH_JOB_NOT_FOUND")
        assert.propertyVal(yield* Effect.flip(fleet.await(jobId)), "_tag", "ORCH_JOB_NOT_FOUND")
      }
    })
  )

  it.effect("come in pages: thousands of them, read late", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 8 })
      const submitted = yield* fleet.submitAll(
        numbers(400).map((payload) => ({ workflowType: "work", payload }))
      )
      for (const { jobId } of submitted) yield* fleet.await(jobId)
      const read = yield* fleet.events({ after: 0 }).pipe(Stream.take(3_200), Stream.runCollect)
      assert.deepStrictEqual(
        read.map(({ sequence }) => sequence),
        numbers(3_200)
      )
    })
  )

  it.effect("of another host are seen within its look at the store", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work] })
      const second = yield* world.host({ workflows: [] })
      const reading = yield* Effect.forkChild(
        World.happened(second.fleet, ({ event }) => event === "complete")
      )
      yield* (yield* first.fleet.submit(work, 1)).result
      yield* TestClock.adjust("200 millis")
      assert.deepInclude(yield* Fiber.join(reading), { jobId: "memory-1" })
    })
  )

  it.effect("a reader that stops reading holds nobody up", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 8 })
      const stuck = yield* Effect.forkChild(
        fleet.events({ after: 0 }).pipe(Stream.runForEach(() => Effect.never)),
        { startImmediately: true }
      )
      const submitted = yield* fleet.submitAll(
        numbers(300).map((payload) => ({ workflowType: "work", payload }))
      )
      for (const { jobId } of submitted)
        assert.strictEqual((yield* fleet.await(jobId)).job.state, "COMPLETED")
      yield* Fiber.interrupt(stuck)
    })
  )
})
