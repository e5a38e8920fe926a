// Agents that won't end: they lose their slot and hold nobody up.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, notes } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { beat, cleanUpUntil, insistUntil, sleep, succeed, waitFor } = ScriptedRunner

describe("an agent that won't end", () => {
  it.effect(
    "keeps its slot while it is being stopped, is hung after half the stop time, and gives its slot up (R4)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) =>
          n === 1 ? [insistUntil("at last"), succeed(1)] : n === 2 ? [waitFor("2"), succeed(2)] : [succeed(n)]
        )
        const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 2, stop: "20 seconds" })
        const stubborn = yield* fleet.submit(work, 1)
        yield* fleet.submit(work, 2)
        const next = yield* fleet.submit(work, 3)
        yield* scripted.started(2)
        yield* fleet.cancel(stubborn.jobId)
        yield* TestClock.adjust(9_999)
        assert.strictEqual((yield* fleet.snapshot).usedSlots, 2)
        assert.strictEqual(scripted.starts().length, 2)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* next.result, 3)
        assert.deepInclude((yield* store.job(stubborn.jobId)).job.agent, { state: "tombstoned", hung: true })
        yield* scripted.release("at last")
        yield* scripted.release("2")
      })
  )

  it.effect("delays neither the loop nor another agent while it is being stopped", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) =>
        n === 1 ? [insistUntil("at last")] : [succeed(n)]
      )
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 2 })
      const stubborn = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* fleet.cancel(stubborn.jobId)
      for (const n of numbers(20)) {
        const job = yield* fleet.submit(work, n + 1)
        assert.strictEqual(yield* job.result, n + 1)
      }
      yield* scripted.release("at last")
    })
  )

  it.effect("is followed by a new incarnation only when it has ended, or was declared hung", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(
        ({ incarnation }) =>
          incarnation === 1
            ? [cleanUpUntil("clean 1"), waitFor("never")]
            : incarnation === 2
              ? [cleanUpUntil("clean 2"), waitFor("never")]
              : [beat, succeed(3)],
        { silence: "1 minute" }
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work], stop: "20 seconds" })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      // silent after a minute, but its finalisers are still at work
      yield* TestClock.adjust("65 seconds")
      assert.strictEqual(scripted.starts().length, 1)
      yield* scripted.release("clean 1")
      yield* scripted.started(2)
      yield* TestClock.adjust("65 seconds")
      assert.strictEqual(scripted.starts().length, 2)
      // hung ten seconds after it was interrupted
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* job.result, 3)
      yield* scripted.release("clean 2")
      yield* TestClock.adjust("1 second")
      const stored = yield* store.job(job.jobId)
      assert.deepStrictEqual([stored.job.state, stored.result], ["COMPLETED", "3"])
    })
  )

  it.effect(
    "a completion that comes after its successor has started is noted at most, and never landed",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(
          ({ incarnation }) =>
            incarnation === 1 ? [insistUntil("late"), succeed(1)] : [waitFor("second"), succeed(2)],
          { silence: "1 minute" }
        )
        const { fleet, store } = yield* World.withHost({ workflows: [work], stop: "20 seconds" })
        const job = yield* fleet.submit(work, 1)
        yield* TestClock.adjust("80 seconds")
        yield* scripted.started(2)
        yield* scripted.release("late")
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* store.job(job.jobId)).job.state, "PROCESSING")
        yield* scripted.release("second")
        assert.strictEqual(yield* job.result, 2)
        for (const note of notes(yield* eventsOf(store))) assert.strictEqual(note.event, "late_completion")
      })
  )

  it.effect("doesn't hold up the stop of the fleet", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [insistUntil("never"), sleep(1)])
      const { fleet, stop, store } = yield* World.withHost({ workflows: [work], stop: "20 seconds" })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      const stopping = yield* Effect.forkChild(stop)
      // hung after half of the stop's time, and then there is nothing to wait for
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(stopping)
      assert.strictEqual((yield* store.job(job.jobId)).job.state, "RETRY_SCHEDULED")
      yield* scripted.release("never")
    })
  )

  it.effect("as many as there are slots stop the refilling, until one of them has ended (R4, R13)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => (n < 3 ? [insistUntil(`${n}`)] : [succeed(n)]))
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 2, stop: "20 seconds" })
      const stubborn = [yield* fleet.submit(work, 1), yield* fleet.submit(work, 2)]
      yield* scripted.started(2)
      for (const { jobId } of stubborn) yield* fleet.cancel(jobId)
      yield* TestClock.adjust("11 seconds")
      const next = yield* fleet.submit(work, 3)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(scripted.starts().length, 2)
      yield* scripted.release("1")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* next.result, 3)
      yield* scripted.release("2")
    })
  )
})
