// What a host leaves behind that is killed, and how others go on with it.
import { assert, describe, it } from "@effect/vitest"
import type { Lander, LandingOrder, Workspaces } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Deferred, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, succeed, waitFor } = ScriptedRunner

describe("after a host was killed", () => {
  it.effect(
    "the next one goes on: COMPLETED jobs don't run again, the others lose no attempt, nothing is forgotten",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ attempt, incarnation, n }) => {
          if (n === 1) return [succeed(1)]
          if (n === 2) return incarnation === 1 ? [waitFor("never")] : [succeed(2)]
          if (n === 3) return attempt === 1 ? [fail("EXT_FLAKY", {})] : [succeed(3)]
          return [succeed(n)]
        })
        const world = yield* World.make
        const codes = [{ code: "EXT_FLAKY", backoffBaseSeconds: 100, jitter: 0 }]
        const first = yield* world.host({ workflows: [work], slots: 2, codes })
        const one = yield* first.fleet.submit(work, 1)
        yield* one.result
        const two = yield* first.fleet.submit(work, 2)
        const three = yield* first.fleet.submit(work, 3)
        yield* World.happened(first.fleet, ({ event }) => event === "schedule_retry")
        const four = yield* first.fleet.submit(work, 4, { runAt: 50_000 })
        yield* first.crash()

        const second = yield* world.host({ workflows: [work], slots: 2, codes })
        assert.strictEqual((yield* second.fleet.await(two.jobId)).result, "2")
        yield* TestClock.setTime(99_999)
        assert.strictEqual((yield* second.fleet.await(four.jobId)).job.state, "COMPLETED")
        assert.strictEqual(scripted.starts(three.jobId).length, 1)
        yield* TestClock.setTime(100_000)
        assert.strictEqual((yield* second.fleet.await(three.jobId)).result, "3")

        const { job } = yield* world.store.job(two.jobId)
        assert.deepStrictEqual([job.retryCount, job.lastErrorCode, job.agent?.restarts.length], [0, null, 1])
        assert.include(moves(yield* eventsOf(world.store, job), "agent"), "abandon:host_lost")
        assert.strictEqual(scripted.starts(one.jobId).length, 1)
        assert.deepStrictEqual(
          scripted.starts(two.jobId).map(({ attempt, incarnation }) => [attempt, incarnation]),
          [
            [1, 1],
            [1, 2]
          ]
        )
      })
  )

  it.effect("its processes are killed before any of its work starts anew (R20)", () =>
    Effect.gen(function* () {
      const reapedAtStart: Array<number> = []
      const world = yield* World.make
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) => {
        reapedAtStart.push(world.reaped.length)
        return incarnation === 1 ? [waitFor("never")] : [succeed(n)]
      })
      const first = yield* world.host({ workflows: [work] })
      const { jobId } = yield* first.fleet.submit(work, 1)
      const { token } = yield* scripted.started(1)
      yield* first.crash()
      const second = yield* world.host({ workflows: [work] })
      yield* second.fleet.await(jobId)
      assert.deepStrictEqual(world.reaped, [token])
      assert.deepStrictEqual(reapedAtStart, [0, 1])
    })
  )

  it.effect("without proof that it is gone it is lost only when its lease is over (R19)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
        incarnation === 1 ? [waitFor("never")] : [succeed(n)]
      )
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work] })
      const { jobId } = yield* first.fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* first.crash("unseen")
      const second = yield* world.host({ workflows: [work] })
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual(scripted.starts().length, 1)
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* second.fleet.await(jobId)).result, "1")
    })
  )

  it.effect(
    "a host that only slept finds itself fenced when it wakes: it writes nothing, and its late result is not landed (R20)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ incarnation, n }) => [
          waitFor(`incarnation ${incarnation}`),
          succeed(n * 10 + incarnation)
        ])
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work] })
        const { jobId } = yield* first.fleet.submit(work, 1)
        yield* scripted.started(1)
        yield* first.crash("unseen")
        const second = yield* world.host({ workflows: [work] })
        yield* TestClock.adjust("20 seconds")
        yield* scripted.started(2)
        yield* scripted.release("incarnation 1")
        yield* first.faults.thaw
        assert.propertyVal(yield* Effect.flip(first.fleet.ended), "_tag", "ORCH_HOST_FENCED")
        assert.strictEqual((yield* world.store.job(jobId)).job.state, "PROCESSING")
        yield* scripted.release("incarnation 2")
        assert.strictEqual((yield* second.fleet.await(jobId)).result, "12")
      })
  )

  it.effect(
    "between commit and dispatch loses no job: what was committed as dispatched is made good (R11)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)])
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work] })
        yield* TestClock.adjust("1 second")
        // the submission's commit passes; that of the dispatch takes effect, and its answer never comes
        first.faults.inject({ nth: 2, when: "after", gate: "never" })
        const { jobId } = yield* first.fleet.submit(work, 1)
        yield* first.faults.called("commit", 3)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* world.store.job(jobId)).job.state, "PROCESSING")
        assert.strictEqual(scripted.starts().length, 0)
        yield* first.crash()
        const second = yield* world.host({ workflows: [work] })
        assert.strictEqual((yield* second.fleet.await(jobId)).result, "1")
        assert.strictEqual(scripted.starts().length, 1)
        yield* first.faults.release("never")
      })
  )

  for (const call of ["archive", "remove"] as const) {
    it.effect(
      `during ${call}, its agent is archived and cleaned by the next host, and no state moves for it`,
      () =>
        Effect.gen(function* () {
          const reached = yield* Deferred.make<void>()
          const calls: Array<string> = []
          let stuck = true
          const at = <A>(name: string, answer: A) =>
            Effect.suspend((): Effect.Effect<A> => {
              calls.push(name)
              return stuck && name === call
                ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
                : Effect.succeed(answer)
            })
          const place = { ref: "place", path: "/place" }
          const workspace: Workspaces = {
            name: "place",
            prepare: () => at("prepare", place),
            check: () => at("check", undefined),
            find: () => at("find", place),
            archive: () => at("archive", []),
            remove: () => at("remove", { _tag: "Removed" } as const)
          }
          const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)], { workspace })
          const world = yield* World.make
          const first = yield* world.host({ workflows: [work] })
          const job = yield* first.fleet.submit(work, 1)
          yield* job.result
          yield* Deferred.await(reached)
          yield* first.crash()
          stuck = false
          calls.length = 0
          const second = yield* world.host({ workflows: [work] })
          yield* World.happened(second.fleet, ({ toState }) => toState === "tombstoned")
          assert.deepStrictEqual(calls, call === "archive" ? ["find", "archive", "remove"] : ["remove"])
          const stored = yield* world.store.job(job.jobId)
          assert.deepStrictEqual(moves(yield* eventsOf(world.store, stored.job), "agent"), [
            "dispatch:job_accepted",
            "prepare:prepared",
            "land:commit_verified",
            "clean:clean"
          ])
          assert.strictEqual(scripted.starts().length, 1)
        })
    )
  }

  for (const [found, then] of [
    ["landed", "its job is COMPLETED and nothing lands again"],
    ["absent", "the same order is landed now, once"],
    ["unknown", "it is asked again and again, then quarantined, and nothing lands again"]
  ] as const) {
    it.effect(
      `during a landing, its lander is asked before anything else; where it says ${found}, ${then}`,
      () =>
        Effect.gen(function* () {
          const begun = yield* Deferred.make<void>()
          const orders: Array<LandingOrder> = []
          const lander: Lander = {
            name: "slow",
            land: (order) => {
              orders.push(order)
              return orders.length === 1
                ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
                : Effect.succeed({ _tag: "Landed", reference: null })
            },
            check: () => Effect.succeed(found)
          }
          const { scripted, work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander })
          const world = yield* World.make
          const first = yield* world.host({ workflows: [work] })
          const { jobId } = yield* first.fleet.submit(work, 1)
          yield* Deferred.await(begun)
          yield* first.crash()
          const second = yield* world.host({ workflows: [work] })
          if (found === "unknown") yield* TestClock.adjust("10 minutes")
          const { job, result } = yield* second.fleet.await(jobId)
          if (found === "unknown") {
            assert.deepStrictEqual([job.state, job.lastErrorCode], ["DEAD_LETTERED", "ORCH_LANDING_UNKNOWN"])
          } else assert.deepStrictEqual([job.state, result], ["COMPLETED", "1"])
          assert.strictEqual(orders.length, found === "absent" ? 2 : 1)
          assert.strictEqual(scripted.starts().length, 1)
          const [order, again = order] = orders
          assert.strictEqual(again?.result, order?.result)
          assert.isAtLeast(again?.fencingToken ?? 0, order?.fencingToken ?? 1)
        })
    )
  }

  it.effect(
    "the fencing token of a landing grows from one owner to the next, even where an older host takes over from a younger one: what the lost one lands late is refused (R27)",
    () =>
      Effect.gen(function* () {
        const tried = yield* Queue.unbounded<LandingOrder>()
        const target = { token: 0, landed: new Array<number>(), refused: new Array<number>() }
        /** What a target does that fences: a smaller token than one seen before is refused. */
        const bringHome = ({ fencingToken: token }: LandingOrder): void => {
          if (token < target.token) target.refused.push(token)
          else target.landed.push(token)
          target.token = Math.max(target.token, token)
        }
        let slow = true
        const lander: Lander = {
          name: "fencing",
          land: (order) =>
            Effect.gen(function* () {
              const mine = slow
              slow = false
              yield* Queue.offer(tried, order)
              if (mine) return yield* Effect.never
              bringHome(order)
              return { _tag: "Landed", reference: null }
            }),
          check: ({ fencingToken }) =>
            Effect.sync(() => {
              target.token = Math.max(target.token, fencingToken)
              return target.landed.length > 0 ? "landed" : "absent"
            })
        }
        const busy = scriptedWorkflow(({ n }) => [waitFor("busy"), succeed(n)], { name: "busy" })
        const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander })
        const world = yield* World.make
        const workflows = [busy.work, work]
        const older = yield* world.host({ workflows, slots: 1 })
        const ownerOf = (job: string) =>
          Effect.map(world.store.job(job), ({ job: { agent } }) => agent?.owner?.epoch ?? 0)
        const occupied = yield* older.fleet.submit(busy.work, 1)
        yield* busy.scripted.started(1)
        const olderEpoch = yield* ownerOf(occupied.jobId)
        const younger = yield* world.host({ workflows, slots: 1 })
        const { jobId } = yield* younger.fleet.submit(work, 2)
        const first = yield* Queue.take(tried)
        const youngerEpoch = yield* ownerOf(jobId)
        yield* younger.crash()
        yield* busy.scripted.release("busy")
        yield* occupied.result
        yield* TestClock.adjust("10 seconds")
        const ended = yield* older.fleet.await(jobId)
        const second = yield* Queue.take(tried)
        // the landing of the lost host reaches the target after all
        bringHome(first)
        assert.isBelow(olderEpoch, youngerEpoch)
        assert.isAbove(second.fencingToken, first.fencingToken)
        assert.deepStrictEqual(target.landed, [second.fencingToken])
        assert.deepStrictEqual(target.refused, [first.fencingToken])
        assert.strictEqual(ended.job.state, "COMPLETED")
      })
  )

  it.effect(
    "a job that kills its host each time ends in the dead-letter queue, not in an endless loop (R2)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("never"), succeed(n)])
        const world = yield* World.make
        const first = yield* world.host({ workflows: [work] })
        const { jobId } = yield* first.fleet.submit(work, 1)
        yield* scripted.started(1)
        yield* first.crash()
        for (const n of numbers(5)) {
          const next = yield* world.host({ workflows: [work] })
          yield* scripted.started(n + 1)
          yield* TestClock.adjust("10 seconds")
          yield* next.crash()
        }
        const last = yield* world.host({ workflows: [work] })
        const { job } = yield* last.fleet.await(jobId)
        assert.strictEqual(job.state, "DEAD_LETTERED")
        assert.strictEqual(scripted.starts().length, 6)
        const failed = (yield* eventsOf(world.store, job)).find(({ event }) => event === "fail")
        assert.deepInclude(failed, {
          transitionReason: "restart_budget_exhausted",
          errorCode: "ORCH_RETRY_BUDGET_EXHAUSTED"
        })
      })
  )

  it.effect("losses that are far apart don't add up", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
        incarnation <= 8 ? [waitFor("never")] : [succeed(n)]
      )
      const world = yield* World.make
      let host = yield* world.host({ workflows: [work], stop: "1 second" })
      const { jobId } = yield* host.fleet.submit(work, 1)
      for (const n of numbers(8)) {
        yield* scripted.started(n)
        yield* TestClock.adjust("150 seconds")
        yield* host.crash()
        host = yield* world.host({ workflows: [work], stop: "1 second" })
      }
      assert.strictEqual((yield* host.fleet.await(jobId)).result, "1")
    })
  )
})
