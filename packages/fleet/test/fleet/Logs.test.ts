// What agents say on its way to where it is kept: every line of every life, with the host that keeps the store small.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  AgentLogs,
  type LogBounds,
  type LoggedLine,
  type OpenLogs
} from "../../src/adapters/logs/AgentLogs.ts"
import { logBoundsOf } from "../../src/loop/Retention.ts"
import { scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { emit, fail, succeed } = ScriptedRunner

const says = (text: string) => emit({ _tag: "Line", source: "stderr", text, cut: false })
const progresses = (message: string) => emit({ _tag: "Progress", message, fraction: null })

/** Logs that are kept in memory. */
const memory = () => {
  const lines: Array<LoggedLine & { readonly jobId: string }> = []
  const bounds: Array<LogBounds> = []
  let known: ReadonlyArray<string> = []
  const logs: OpenLogs = {
    write: (jobId, line) => void lines.push({ ...line, jobId }),
    prune: Effect.fnUntraced(function* (given, knownJobs) {
      bounds.push(given)
      known = [...(yield* knownJobs([...new Set(lines.map(({ jobId }) => jobId)), "other1-1"]))]
      return { files: 0, bytes: 0 }
    })
  }
  return {
    lines,
    bounds,
    known: () => known,
    keeping: Effect.provideService(AgentLogs, { open: () => Effect.succeed(logs) })
  }
}

describe("the lines of agents", () => {
  it.effect("are kept with job, life and number, whole, progress among them", () =>
    Effect.gen(function* () {
      const { keeping, lines } = memory()
      const long = "x".repeat(5_000)
      const { work } = scriptedWorkflow(({ attempt }) =>
        attempt === 1
          ? [says("one"), progresses("two"), fail("EXT_AWAY")]
          : [says(long), emit({ _tag: "Heartbeat" }), succeed(7)]
      )
      const world = yield* World.make
      const { fleet } = yield* keeping(world.host({ workflows: [work] }))
      const { jobId } = yield* fleet.submit(work, 1)
      yield* World.happened(fleet, ({ event }) => event === "schedule_retry")
      yield* TestClock.adjust("1 minute")
      yield* fleet.await(jobId)
      assert.deepStrictEqual(
        lines.map((line) => [line.jobId, line.incarnation, line.number, line.source, line.text]),
        [
          [jobId, 1, 1, "stderr", "one"],
          [jobId, 1, 2, "progress", "two"],
          [jobId, 2, 1, "stderr", long]
        ]
      )
    })
  )

  it.effect("are kept nowhere where the host says so", () =>
    Effect.gen(function* () {
      const { keeping, lines } = memory()
      const { work } = scriptedWorkflow(() => [says("one"), succeed(7)])
      const world = yield* World.make
      const { fleet } = yield* keeping(world.host({ workflows: [work], logs: false }))
      yield* fleet.await((yield* fleet.submit(work, 1)).jobId)
      assert.lengthOf(lines, 0)
    })
  )

  it.effect("are forgotten with their jobs and by bounds of their own, once a minute", () =>
    Effect.gen(function* () {
      const { bounds, keeping, known } = memory()
      const { work } = scriptedWorkflow(() => [says("one"), succeed(7)])
      const world = yield* World.make
      const retention = { finished: "90 seconds", logAge: "2 days", logBytes: 5_000 } as const
      const { fleet } = yield* keeping(world.host({ workflows: [work], retention }))
      const { jobId } = yield* fleet.submit(work, 1)
      yield* fleet.await(jobId)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(bounds, [{ millis: 172_800_000, bytes: 5_000 }])
      assert.sameMembers([...known()], [jobId, "other1-1"])
      yield* TestClock.adjust("2 minutes")
      // Of another store nothing is known here, so nothing of it goes.
      assert.deepStrictEqual(known(), ["other1-1"])
      assert.isAtLeast(bounds.length, 2)
    })
  )

  it.effect("are kept for a week, a gibibyte of them, unless told", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logBoundsOf(), { millis: 604_800_000, bytes: 1_073_741_824 })
      const none = yield* logBoundsOf({
        logAge: Number.POSITIVE_INFINITY,
        logBytes: Number.POSITIVE_INFINITY
      })
      assert.deepStrictEqual(none, { millis: null, bytes: null })
      const { path } = yield* Effect.flip(logBoundsOf({ logBytes: -1 }))
      assert.strictEqual(path, "retention.logBytes")
    })
  )
})
