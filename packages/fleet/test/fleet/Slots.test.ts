// How many agents are alive at once, which job comes next, and that nothing waits beside a free slot.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { cleanUpUntil, fail, sleep, succeed, waitFor } = ScriptedRunner

describe("slots", () => {
  it.effect("slots are never exceeded, recoveries included (R4)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(
        ({ attempt, n }) => (attempt < 3 ? [sleep(n * 7), fail("EXT_FLAKY")] : [sleep(n * 3), succeed(n)]),
        // a storm is not what this is about
        { breaker: { failures: 11 } }
      )
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 3 })
      const jobs = yield* Effect.forEach(numbers(20), (n) => fleet.submit(work, n), {
        concurrency: "unbounded"
      })
      yield* TestClock.adjust("5 minutes")
      for (const [index, job] of jobs.entries()) assert.strictEqual(yield* job.result, index + 1)
      assert.strictEqual(scripted.peak(), 3)
      assert.strictEqual(scripted.starts().length, 60)
      assert.strictEqual((yield* fleet.snapshot).usedSlots, 0)
    })
  )

  it.effect("a freed slot is refilled within one turn, in the commit that ends the job before", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work], slots: 2 })
      yield* Effect.forEach(numbers(6), (n) => fleet.submit(work, n))
      yield* scripted.started(2)
      for (const n of numbers(4)) {
        const before = faults.calls("commit")
        yield* scripted.release(`${n}`)
        yield* scripted.started(n + 2)
        assert.strictEqual(faults.calls("commit"), before + 1)
        assert.strictEqual(scripted.living(), 2)
      }
      const events = yield* eventsOf(store)
      const landed = events.filter(({ event }) => event === "complete")
      for (const { sequence } of landed) {
        const dispatched = events.find((event) => event.sequence > sequence && event.event === "dispatch")
        assert.isAtMost((dispatched?.sequence ?? 0) - sequence, 5)
      }
      yield* scripted.release("5")
      yield* scripted.release("6")
    })
  )

  it.effect("a slot is held until the finalisers of its incarnation are done (R4)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [cleanUpUntil(`clean ${n}`), succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      const first = yield* fleet.submit(work, 1)
      const second = yield* fleet.submit(work, 2)
      yield* scripted.until((journal) => journal.some(({ what }) => what === "succeeded"))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(scripted.starts().length, 1)
      assert.strictEqual((yield* fleet.snapshot).usedSlots, 1)
      yield* scripted.release("clean 1")
      yield* first.result
      yield* scripted.started(2)
      yield* scripted.release("clean 2")
      yield* second.result
    })
  )

  it.effect("a waiting retry holds no slot", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ attempt, n }) =>
        n === 1 && attempt === 1 ? [fail("EXT_FLAKY")] : [succeed(n)]
      )
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      const first = yield* fleet.submit(work, 1)
      const second = yield* fleet.submit(work, 2)
      assert.strictEqual(yield* second.result, 2)
      assert.strictEqual(scripted.starts(first.jobId).length, 1)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* first.result, 1)
    })
  )

  it.effect(
    "the loop never rests beside runnable work and a free slot: 1,000 jobs end without the clock",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
        const { fleet } = yield* World.withHost({ workflows: [work], slots: 7 })
        const submissions = numbers(1_000).map((n) => ({ workflowType: "work", payload: n }))
        const submitted = yield* fleet.submitAll(submissions)
        for (const { jobId } of submitted) {
          assert.strictEqual((yield* fleet.await(jobId)).job.state, "COMPLETED")
        }
        assert.strictEqual(scripted.starts().length, 1_000)
        assert.isAtMost(scripted.peak(), 7)
      })
  )

  it.effect("jobs whose payload is refused take no slot and hold nobody up", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      const payloads = [...numbers(20).map((n) => `not a number ${n}`), 21]
      const submitted = yield* fleet.submitAll(payloads.map((payload) => ({ workflowType: "work", payload })))
      const last = submitted.at(-1)?.jobId ?? ""
      assert.strictEqual((yield* fleet.await(last)).job.state, "COMPLETED")
      assert.strictEqual(scripted.starts().length, 1)
    })
  )
})

describe("order", () => {
  it.effect(
    "larger priority first, then run_at, then order of arrival; a retry keeps its priority (R7)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ attempt, n }) =>
          n === 0
            ? [waitFor("open"), succeed(0)]
            : n === 5 && attempt === 1
              ? [fail("EXT_FLAKY")]
              : [sleep("10 seconds"), succeed(n)]
        )
        const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
        yield* TestClock.setTime(1_000)
        yield* fleet.submit(work, 0)
        yield* scripted.started(1)
        yield* fleet.submit(work, 1)
        yield* fleet.submit(work, 2, { priority: 1 })
        yield* fleet.submit(work, 3, { runAt: 500 })
        yield* fleet.submit(work, 4, { priority: -1 })
        yield* fleet.submit(work, 5, { priority: 9 })
        const last = yield* fleet.submit(work, 6)
        yield* scripted.release("open")
        yield* TestClock.adjust("2 minutes")
        yield* last.result
        assert.deepStrictEqual(
          scripted.starts().map(({ payload }) => payload),
          [0, 5, 2, 5, 3, 1, 6, 4]
        )
      })
  )

  it.effect("a run_at in the future is waited for, to the millisecond, and holds nobody up", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      const later = yield* fleet.submit(work, 1, { runAt: 600_000, priority: 100 })
      const now = yield* fleet.submit(work, 2)
      yield* now.result
      yield* TestClock.setTime(599_999)
      assert.strictEqual(scripted.starts().length, 1)
      yield* TestClock.setTime(600_000)
      assert.strictEqual(yield* later.result, 1)
    })
  )
})
