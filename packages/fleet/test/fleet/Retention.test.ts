// What a host forgets of finished jobs, and what never.
import { assert, describe, it } from "@effect/vitest"
import { type StoreService } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { boundsOf } from "../../src/loop/Retention.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, succeed } = ScriptedRunner

/** The numbers of the jobs that are there. */
const kept = (store: StoreService) =>
  Effect.map(store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 1000 }), (jobs) =>
    jobs.map(({ job }) => job.seq)
  )

/** Jobs whose payload is below 0 end as dead letters. */
const { work } = scriptedWorkflow(({ n }) => (n < 0 ? [fail("DQ_BAD")] : [succeed(n)]))

const minute = TestClock.adjust("1 minute")

/** Submits them and waits for their ends. */
const finish = Effect.fnUntraced(function* (
  fleet: World.HostUnderTest["fleet"],
  numbers: ReadonlyArray<number>
) {
  const jobs = yield* Effect.forEach(numbers, (n) => fleet.submit(work, n, { idempotencyKey: `${n}` }))
  yield* Effect.forEach(jobs, ({ jobId }) => fleet.await(jobId))
})

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

describe("a host that keeps its store small", () => {
  it.effect("keeps the newest so many finished jobs, and letters beside them", () =>
    Effect.gen(function* () {
      const { fleet, log, store } = yield* World.withHost({ workflows: [work], retention: { jobs: 5 } })
      yield* finish(fleet, [-1, ...range(1, 300), -2])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* kept(store), [1, ...range(297, 301), 302])
      assert.include(log, "295 finished jobs were forgotten")
      yield* finish(fleet, [301])
      assert.lengthOf(yield* kept(store), 8)
      yield* minute
      assert.deepStrictEqual(yield* kept(store), [1, ...range(298, 301), 302, 303])
    })
  )

  it.effect("keeps what ended a while ago as long as it is told, thirty days unless told", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* boundsOf(), {
        finishedMillis: 30 * 86_400_000,
        jobs: 1_000_000,
        bytes: null
      })
      const retention = { finished: "10 minutes" } as const
      const { fleet, store } = yield* World.withHost({ workflows: [work], retention })
      yield* finish(fleet, [1, -2])
      yield* TestClock.adjust("9 minutes")
      yield* finish(fleet, [3])
      assert.deepStrictEqual(yield* kept(store), [1, 2, 3])
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* kept(store), [2, 3])
    })
  )

  it.effect(
    "keeps no more bytes than it is told while something finished is left, and says when nothing is",
    () =>
      Effect.gen(function* () {
        const { fleet, log, store } = yield* World.withHost({ workflows: [work], retention: { bytes: 40 } })
        yield* finish(fleet, [-1, ...range(1000, 1099)])
        yield* TestClock.adjust("5 seconds")
        const { bytes } = yield* store.tally(0)
        assert.isAtMost(bytes ?? 99, 40)
        assert.include(yield* kept(store), 1)
        assert.isFalse(log.some((line) => line.includes("nothing finished is left")))
        yield* finish(fleet, range(-199, -180))
        yield* minute
        assert.lengthOf(yield* kept(store), 21)
        assert.isTrue(log.some((line) => line.includes("nothing finished is left")))
      })
  )

  it.effect("leaves a chain of replays whole while its last job is young", () =>
    Effect.gen(function* () {
      const { fleet, store } = yield* World.withHost({ workflows: [work], retention: { jobs: 0 } })
      yield* TestClock.adjust("2 seconds")
      yield* finish(fleet, [-1])
      const { jobId } = yield* fleet.replay("memory-1")
      yield* fleet.await(jobId)
      yield* minute
      assert.deepStrictEqual(yield* kept(store), [1, 2], "its replay is a letter, which may be replayed")
    })
  )

  it.effect("of several hosts one does it, and the next when that one is gone", () =>
    Effect.gen(function* () {
      const world = yield* World.make
      const options = { workflows: [work], retention: { jobs: 7 } }
      const first = yield* world.host({ workflows: [work] })
      const second = yield* world.host(options)
      yield* world.host(options)
      yield* finish(second.fleet, range(1, 50))
      yield* minute
      assert.lengthOf(yield* kept(world.store), 50, "the first host keeps a million")
      yield* first.stop
      yield* minute
      assert.lengthOf(yield* kept(world.store), 7)
    })
  )

  it.effect("refuses bounds that are no numbers from 0 on", () =>
    Effect.gen(function* () {
      for (const retention of [{ jobs: -1 }, { bytes: Number.NaN }])
        assert.strictEqual((yield* Effect.flip(boundsOf(retention)))._tag, "ORCH_CONFIG_INVALID")
      assert.deepStrictEqual(yield* boundsOf({ finished: "Infinity", jobs: Infinity }), {
        finishedMillis: null,
        jobs: null,
        bytes: null
      })
    })
  )
})
