import { assert, describe, it } from "@effect/vitest"
import { Store, Workflow } from "@muster/core"
import { Fleet, MemoryStore } from "@muster/fleet"
import { Effect, Layer, Schema } from "effect"
import type { JobLine } from "../../src/run/JobLine.ts"
import type { News, Reporter } from "../../src/run/News.ts"
import { type RunCounts, runJobs } from "../../src/run/RunJobs.ts"
import { RunProgress } from "../../src/run/RunProgress.ts"

const double = Workflow.make("double", {
  payload: Schema.Struct({ n: Schema.Finite }),
  result: Schema.Finite,
  run: ({ n }) => (n < 0 ? Effect.fail({ _tag: "DQ_NEGATIVE" }) : Effect.succeed(2 * n))
})

const fleet = Fleet.layer({ workflows: [double], slots: 8 })

const lines = (...payloads: ReadonlyArray<unknown>): ReadonlyArray<JobLine> =>
  payloads.map((payload, index) => ({
    _tag: "Job",
    line: index + 1,
    submission: { workflowType: "double", payload }
  }))

/** One run in the fleet at hand, and all that its reporter was told. */
const run = Effect.fnUntraced(function* (given: ReadonlyArray<JobLine> | null) {
  const news: Array<News> = []
  const reporter: Reporter = {
    tell: (some) => Effect.sync(() => news.push(...some)),
    watch: () => Effect.void,
    stopping: Effect.void,
    end: () => Effect.void
  }
  const counts: RunCounts = { lines: 0, submitted: 0, duplicates: 0, already: 0, conflicts: 0 }
  const workflows = new Set(["double"])
  const progress = new RunProgress(workflows)
  yield* runJobs({ lines: given, workflows, progress, counts, reporter })
  const ends = news.flatMap((one) => (one._tag === "Over" ? [one] : []))
  return { news, counts, progress, ends }
})

const inMemory = Effect.provide(Layer.provideMerge(fleet, Store.layerFromDriver(MemoryStore.driver)))

describe("running jobs", () => {
  it.live("tells the end of a job once, right after the last of its moves", () =>
    Effect.gen(function* () {
      const { counts, ends, news } = yield* run(lines(...Array.from({ length: 2_500 }, (_, n) => ({ n }))))
      assert.strictEqual(ends.length, 2_500)
      assert.strictEqual(new Set(ends.map(({ job }) => job.jobId)).size, 2_500)
      assert.deepInclude(counts, { lines: 2_500, submitted: 2_500, duplicates: 0 })
      for (const [index, one] of news.entries()) {
        if (one._tag !== "Over") continue
        const before = news[index - 1]
        assert.isTrue(
          before?._tag === "Event" && before.job === one.job && before.event.toState === "tombstoned"
        )
        assert.strictEqual(one.stored.result, String(2 * ((one.job.line ?? 0) - 1)))
      }
    }).pipe(inMemory)
  )

  it.live("ends with jobs that never got an agent, and with those that failed for good", () =>
    Effect.gen(function* () {
      const { ends } = yield* run(lines({ n: "no number" }, { n: -1 }, { n: 1 }))
      const states = new Map(ends.map(({ job, stored }) => [job.line, stored.job.state]))
      assert.deepStrictEqual(
        states,
        new Map([
          [1, "DEAD_LETTERED"],
          [2, "DEAD_LETTERED"],
          [3, "COMPLETED"]
        ])
      )
      const messages = new Map(ends.map(({ job }) => [job.line, job.message]))
      assert.match(messages.get(1) ?? "", /\["n"\]/)
    }).pipe(inMemory)
  )

  it.live("answers what is over before it asks anybody to work", () =>
    Effect.gen(function* () {
      yield* run(lines({ n: 1 }, { n: 2 }))
      const { counts, ends, news } = yield* run(lines({ n: 2 }, { n: 1 }, { n: 2 }))
      assert.deepStrictEqual(counts, { lines: 3, submitted: 0, duplicates: 3, already: 2, conflicts: 0 })
      assert.deepStrictEqual(
        ends.map(({ already, stored }) => [already, stored.result]),
        [
          [true, "4"],
          [true, "2"]
        ]
      )
      assert.strictEqual(news.length, 2)
    }).pipe(inMemory)
  )

  it.live("has nothing to wait for where nothing waits", () =>
    Effect.gen(function* () {
      const { ends, progress } = yield* run(null)
      assert.deepStrictEqual([ends.length, progress.size], [0, 0])
    }).pipe(inMemory)
  )
})
