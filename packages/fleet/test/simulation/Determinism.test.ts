// The same jobs, seed and scripted runner give the same events in the same order, twice: nothing depends on when the machine was quick (R12).
import { assert, describe, it } from "@effect/vitest"
import type { LifecycleEvent } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { simulate } from "@muster/fleet/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf } from "../fleet/Chains.ts"
import { numbers, scriptedWorkflow } from "../fleet/Scripted.ts"
import * as World from "../fleet/World.ts"

const { beat, die, fail, sleep, succeed, waitFor } = ScriptedRunner

/** What an agent does follows from its number and its life. */
const scriptOf = (n: number, life: number): ReadonlyArray<ScriptedRunner.Step> => {
  switch (n % 7) {
    case 0:
      return [succeed(n)]
    case 1:
      return life < 3 ? [sleep("300 millis"), fail("EXT_FLAKY")] : [succeed(n)]
    case 2:
      return [fail("DQ_BAD")]
    case 3:
      return life < 2 ? [die("boom")] : [beat, sleep("1 second"), succeed(n)]
    case 4:
      return life < 2 ? [fail("EXT_LIMITED", { retryAfterMillis: 4_000 })] : [succeed(n)]
    case 5:
      return life < 2 ? [waitFor("never")] : [succeed(n)]
    default:
      return [sleep(`${n * 97} millis`), succeed(n)]
  }
}

/** The whole story of a fleet of two hosts, one of which is killed. */
const story = (seed: number) =>
  Effect.gen(function* () {
    const { scripted, work } = scriptedWorkflow(({ incarnation, n }) => scriptOf(n, incarnation), {
      silence: "5 seconds"
    })
    const world = yield* World.make
    const options = { workflows: [work], slots: 3, seed }
    const first = yield* world.host(options)
    for (const n of numbers(20)) yield* first.fleet.submit(work, n, { priority: n % 3 })
    yield* TestClock.adjust("2 seconds")
    const second = yield* world.host(options)
    yield* first.crash()
    yield* Effect.forkChild(Effect.ignore(second.fleet.cancel("12")))
    yield* TestClock.adjust("10 minutes")
    const events = yield* eventsOf(world.store)
    const starts = scripted.starts().map(({ incarnation, jobId }) => `${jobId} ${incarnation}`)
    return { events, starts }
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer(), { local: true }))

const moves = (events: ReadonlyArray<LifecycleEvent>): ReadonlyArray<string> =>
  events.map(({ event, jobId }) => `${jobId} ${event}`)

describe("determinism", () => {
  it.effect(
    "the same jobs, seed and scripted runner give the same events in the same order, twice, ids included",
    () =>
      Effect.gen(function* () {
        const one = yield* story(7)
        const two = yield* story(7)
        assert.isAbove(one.events.length, 150)
        assert.deepStrictEqual(two.events, one.events)
        assert.deepStrictEqual(two.starts, one.starts)
      })
  )

  it.effect("another seed gives other waits, and by them another order", () =>
    Effect.gen(function* () {
      const one = yield* story(7)
      const other = yield* story(8)
      assert.notDeepEqual(other.events, one.events)
      assert.sameMembers([...new Set(moves(other.events))], [...new Set(moves(one.events))])
    })
  )

  it.live("a simulation tells the same story twice, line by line, and another one from another seed", () =>
    Effect.gen(function* () {
      const told = (seed: number) => {
        const stories: Array<ReadonlyArray<string>> = []
        return Effect.as(
          simulate({ seed, runs: 25, traced: true, onRun: ({ trace }) => stories.push(trace) }),
          stories
        )
      }
      const one = yield* told(100)
      assert.deepStrictEqual(yield* told(100), one)
      assert.notDeepEqual((yield* told(200))[0], one[0])
      assert.isAbove(one.flat().length, 1_000)
    })
  )
})
