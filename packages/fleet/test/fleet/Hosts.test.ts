// Several hosts of one store.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { sleep, succeed, waitFor } = ScriptedRunner

describe("two hosts", () => {
  it.effect("share the queue: each job runs once, and both work", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [sleep(500), succeed(n)])
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 3 })
      const second = yield* world.host({ workflows: [work], slots: 3 })
      const submitted = yield* first.fleet.submitAll(
        numbers(60).map((payload) => ({ workflowType: "work", payload }))
      )
      const ending = yield* Effect.forkChild(
        Effect.forEach(submitted, ({ jobId }) => second.fleet.await(jobId), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("30 seconds")
      const ended = yield* Fiber.join(ending)
      assert.isTrue(ended.every(({ job }) => job.state === "COMPLETED"))
      assert.strictEqual(scripted.starts().length, 60)
      const tokens = scripted.starts().map(({ token }) => token)
      assert.strictEqual(new Set(tokens).size, 2)
      assert.strictEqual(scripted.peak(), 6)
    })
  )

  it.effect(
    "a job that the other one wins is left out: not begun here, not owned here, and the slot is free for the next (R8)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work], slots: 2 })
        const second = yield* world.host({ workflows: [work], slots: 1 })
        const outside = yield* world.host({ workflows: [] })
        yield* TestClock.adjust("1 second")
        // the first has peeked, and its commit is held up; meanwhile the second takes the job
        first.faults.inject({ gate: "commit" })
        yield* outside.fleet.submitAll([1, 2].map((payload) => ({ workflowType: "work", payload })))
        const before = first.faults.calls("commit")
        yield* TestClock.adjust("100 millis")
        yield* first.faults.called("commit", before + 1)
        yield* scripted.started(1)
        yield* first.faults.release("commit")
        yield* scripted.started(2)
        assert.deepStrictEqual(
          scripted
            .starts()
            .map(({ jobId }) => jobId)
            .toSorted(),
          ["memory-1", "memory-2"]
        )
        assert.deepStrictEqual(
          [(yield* first.fleet.snapshot).usedSlots, (yield* second.fleet.snapshot).usedSlots],
          [1, 1]
        )
        yield* scripted.release("1")
        yield* scripted.release("2")
        yield* World.happened(outside.fleet, ({ event }) => event === "clean", 1)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* first.fleet.snapshot).usedSlots, 0)
      })
  )

  it.effect("a host leaves jobs alone whose workflow it doesn't define (R23)", () =>
    Effect.gen(function* () {
      const [mine, other] = [
        scriptedWorkflow(({ n }) => [succeed(n)], { name: "mine" }),
        scriptedWorkflow(({ n }) => [succeed(n)], { name: "other" })
      ]
      const world = yield* World.make
      const first = yield* world.host({ workflows: [mine.work] })
      const [foreign] = yield* first.fleet.submitAll([{ workflowType: "other", payload: 1 }])
      const own = yield* first.fleet.submit(mine.work, 1)
      yield* own.result
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* world.store.job(foreign?.jobId ?? "")).job.state, "PENDING")
      const second = yield* world.host({ workflows: [other.work] })
      const ending = yield* Effect.forkChild(second.fleet.await(foreign?.jobId ?? ""))
      assert.strictEqual((yield* Fiber.join(ending)).job.state, "COMPLETED")
    })
  )

  it.effect("a cancel is answered to the host that asks, though the other one runs the job", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("never"), succeed(n)])
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work] })
      const { jobId } = yield* first.fleet.submit(work, 1)
      yield* scripted.started(1)
      const second = yield* world.host({ workflows: [] })
      const cancelling = yield* Effect.forkChild(second.fleet.cancel(jobId))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(cancelling)
      assert.strictEqual((yield* second.fleet.await(jobId)).job.state, "CANCELLED")
      assert.strictEqual(scripted.living(), 0)
    })
  )

  it.effect("work from outside is seen within 100 milliseconds, without a word to the host (R14)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.make
      yield* world.host({ workflows: [work] })
      const outside = yield* world.host({ workflows: [] })
      yield* TestClock.adjust("1 second")
      yield* outside.fleet.submitAll([{ workflowType: "work", payload: 1 }])
      yield* TestClock.adjust("100 millis")
      yield* scripted.started(1)
    })
  )

  it.effect("adopt the work of a third together, each job once, and neither fences the other (R19)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
        incarnation === 1 ? [waitFor("never")] : [succeed(n)]
      )
      const world = yield* World.make
      const lost = yield* world.host({ workflows: [work], slots: 10 })
      const jobs = yield* Effect.forEach(numbers(10), (n) => lost.fleet.submit(work, n))
      yield* scripted.started(10)
      const hosts = [
        yield* world.host({ workflows: [work], slots: 2 }),
        yield* world.host({ workflows: [work], slots: 2 })
      ]
      yield* lost.crash()
      yield* TestClock.adjust("4 seconds")
      for (const [index, { jobId }] of jobs.entries()) {
        const stored = yield* world.store.job(jobId)
        assert.deepStrictEqual([stored.job.state, stored.result], ["COMPLETED", `${index + 1}`])
        assert.strictEqual(scripted.starts(jobId).length, 2)
      }
      for (const { fleet } of hosts) assert.strictEqual((yield* fleet.snapshot).mode, "running")
      const rows = yield* world.store.records({ kind: "hosts", job: null, after: 0, limit: 10 })
      assert.deepStrictEqual(
        rows.map(({ row }) => row.state),
        ["fenced", "live", "live"]
      )
    })
  )

  it.effect("don't read those that were long ago again and again", () =>
    Effect.gen(function* () {
      const asked = Effect.fnUntraced(function* (starts: number) {
        const world = yield* World.make
        for (let n = 0; n < starts; n++) {
          const { epoch, host } = yield* world.store.enlist("{}", 0)
          yield* world.store.fence({ host, epoch, beat: null, as: "stopped", at: 0 })
        }
        const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
          incarnation === 1 ? [waitFor("never")] : [succeed(n)]
        )
        const lost = yield* world.host({ workflows: [work] })
        const { faults, fleet } = yield* world.host({ workflows: [work] })
        yield* TestClock.adjust("10 seconds")
        const before = faults.calls("records")
        yield* TestClock.adjust("30 seconds")
        const looks = faults.calls("records") - before
        // Those that came later are seen as ever.
        yield* lost.fleet.submit(work, 1)
        yield* scripted.started(1)
        yield* lost.crash()
        yield* TestClock.adjust("4 seconds")
        yield* World.happened(fleet, ({ event }) => event === "complete")
        return looks
      })
      assert.strictEqual(yield* Effect.scoped(asked(1_200)), yield* Effect.scoped(asked(0)))
    })
  )

  it.effect("one of them that is stopped leaves its work to the other at once", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
        incarnation === 1 ? [waitFor("never")] : [succeed(n)]
      )
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 2 })
      const second = yield* world.host({ workflows: [work], slots: 2 })
      const jobs = yield* Effect.forEach(numbers(2), (n) => first.fleet.submit(work, n))
      yield* scripted.started(2)
      yield* first.stop
      const ending = yield* Effect.forkChild(Effect.forEach(jobs, ({ jobId }) => second.fleet.await(jobId)))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        (yield* Fiber.join(ending)).map(({ result }) => result),
        ["1", "2"]
      )
    })
  )
})
