// What goes into commits, and how much of it.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { beat, emit, succeed, waitFor } = ScriptedRunner

describe("commits", () => {
  it.effect("are cut to what takes about 10 ms, where a thousand changes take longer (R15)", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { faults, fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      yield* fleet.pause({ reason: "all at once", actor: "operator:ana" })
      yield* TestClock.adjust("1 second")
      const inserts: Array<number> = []
      faults.inject({
        gate: "slow",
        times: 999,
        of: (unit) => {
          inserts.push(unit.inserts.length)
          return unit.inserts.length > 400
        }
      })
      const flood = yield* Effect.forkChild(
        fleet.submitAll(numbers(3_000).map((n) => ({ workflowType: "work", payload: n })))
      )
      while (inserts.every((length) => length <= 400)) yield* Effect.yieldNow
      const before = inserts.length
      yield* TestClock.adjust(100)
      yield* faults.release("slow")
      while (inserts.length === before) yield* Effect.yieldNow
      assert.strictEqual(inserts[before], 200)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(yield* Fiber.join(flood), 3_000)
    })
  )

  it.effect("hold nothing of what agents only say: lines, progress, usage, beats and extensions (R15)", () =>
    Effect.gen(function* () {
      const said = numbers(200).flatMap((n) => [
        emit({ _tag: "Line", source: "stdout", text: `line ${n}`, cut: false }),
        emit({ _tag: "Progress", message: `step ${n}`, fraction: n / 200 }),
        emit({ _tag: "Usage", inputTokens: n, outputTokens: n, cost: n }),
        emit({ _tag: "Extend", millis: 1_000 }),
        beat
      ])
      const { scripted, work } = scriptedWorkflow(({ n }) => [
        waitFor("start"),
        ...said,
        waitFor("end"),
        succeed(n)
      ])
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* TestClock.adjust("1 second")
      const before = { commits: faults.calls("commit"), events: (yield* eventsOf(store)).length }
      yield* scripted.release("start")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(faults.calls("commit"), before.commits)
      assert.lengthOf(yield* eventsOf(store), before.events)
      yield* scripted.release("end")
      assert.strictEqual(yield* job.result, 1)
    })
  )

  it.effect(
    "of a host at rest are its snapshot's, once a minute, and the moves of its loop are in none (R13)",
    () =>
      Effect.gen(function* () {
        const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
        const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
        assert.strictEqual(yield* (yield* fleet.submit(work, 1)).result, 1)
        yield* TestClock.adjust("1 minute")
        const before = { commits: faults.calls("commit"), looks: faults.calls("changed") }
        const events = yield* eventsOf(store)
        yield* TestClock.adjust("10 minutes")
        assert.isAtLeast(faults.calls("changed") - before.looks, 5_000, "the loop has woken and rested")
        assert.strictEqual(faults.calls("commit") - before.commits, 10)
        assert.deepStrictEqual(yield* eventsOf(store), events)
      })
  )

  it.effect("let the event loop come round between them, however much there is to do (R14)", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { faults, fleet } = yield* World.withHost({ workflows: [work], slots: 8 })
      let ticks = 0
      const came = yield* Latch.make()
      const at: Array<number> = []
      faults.inject({ times: 9_999, of: () => at.push(ticks) === 0 })
      // No wait for time: it counts how often the event loop comes round, which is what timers live by.
      const tick = Effect.callback<never>(() => {
        let next = setImmediate(function again() {
          ticks++
          came.openUnsafe()
          next = setImmediate(again)
        })
        return Effect.sync(() => clearImmediate(next))
      })
      const ticking = yield* Effect.forkChild(tick)
      yield* came.await
      yield* fleet.submitAll(numbers(200).map((n) => ({ workflowType: "work", payload: n })))
      yield* World.happened(fleet, ({ event }) => event === "complete", 200)
      yield* Fiber.interrupt(ticking)
      assert.isAbove(at.length, 20)
      const still = at.filter((count, index) => index > 0 && count === at[index - 1])
      // Two turns may meet in one round when the loop wakes; without its yield nearly all of them do.
      assert.isBelow(still.length, at.length / 10)
    })
  )
})
