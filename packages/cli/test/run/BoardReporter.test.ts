import { assert, describe, it } from "@effect/vitest"
import { Store, Workflow } from "@muster/core"
import { Fleet, MemoryStore } from "@muster/fleet"
import { Effect, Exit, Layer, Logger, Schema, Scope } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { plain } from "../../src/output/Style.ts"
import * as BoardReporter from "../../src/run/BoardReporter.ts"
import type { News } from "../../src/run/News.ts"
import type { RunSummaryJson } from "../../src/run/RunJson.ts"
import { RunProgress } from "../../src/run/RunProgress.ts"

const idle = Workflow.make("w", { payload: Schema.Unknown, result: Schema.Unknown, run: () => Effect.void })
const layer = Layer.provideMerge(
  Fleet.layer({ workflows: [idle] }),
  Store.layerFromDriver(MemoryStore.driver)
)

const summary: RunSummaryJson = {
  type: "summary",
  workflow_types: ["w"],
  store: "fleet.db",
  lines: 0,
  unsubmitted: 0,
  skipped: 0,
  submitted: 0,
  duplicates: 0,
  already: 0,
  conflicts: 0,
  jobs: 0,
  completed: 0,
  dead_lettered: 0,
  failed: 0,
  cancelled: 0,
  unfinished: 0,
  not_served: 0,
  retries: 0,
  elapsed_ms: 0,
  interrupted: false,
  exit_code: 0
}

/** A line whose key another payload has: what a run tells of besides its jobs. */
const conflict = (line: number): News => ({
  _tag: "Conflict",
  line,
  workflowType: "w",
  key: `k${line}`,
  jobId: "s-1"
})

/** A reporter with a board that only says when it is up. */
const start = Effect.fnUntraced(function* (until: Effect.Effect<void> = Effect.never) {
  const scope = yield* Scope.fork(yield* Scope.Scope)
  const boards = { opened: 0, up: 0, stops: new Array<string>() }
  const show: BoardReporter.BoardReporterOptions["show"] = (_source, { quits }) =>
    Effect.gen(function* () {
      boards.opened++
      boards.up++
      boards.stops.push(quits)
      yield* Effect.addFinalizer(() => Effect.sync(() => boards.up--))
      return yield* until
    }).pipe(Effect.scoped)
  const options = { title: "w", progress: new RunProgress(new Set(["w"])), style: plain, show }
  const reporter = yield* Scope.provide(BoardReporter.make(options), scope)
  yield* reporter.watch(yield* Fleet)
  return { boards, reporter, close: Scope.close(scope, Exit.void) }
})

const told = Effect.map(TestConsole.logLines, (lines) => lines.join("\n"))

describe("the reporter of a run on a terminal", () => {
  it.effect("shows no board where the run is over at once, and tells lines as they come", () =>
    Effect.gen(function* () {
      const { boards, reporter } = yield* start()
      yield* TestClock.adjust("600 millis")
      yield* reporter.tell([conflict(1)])
      assert.match(yield* told, /k1/)
      yield* reporter.end({ summary, next: [] })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(boards.opened, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps lines while its board is up, and tells the latest of them when it has gone", () =>
    Effect.gen(function* () {
      const { boards, reporter } = yield* start()
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([boards.up, boards.stops], [1, ["run"]])
      yield* reporter.tell(Array.from({ length: 60 }, (_, at) => conflict(at + 1)))
      assert.strictEqual(yield* told, "")
      yield* reporter.end({ summary, next: [] })
      assert.strictEqual(boards.up, 0)
      const said = yield* told
      assert.include(said, "10 lines of this kind came before")
      assert.notMatch(said, /k10\b/)
      assert.match(said, /k11\b[\s\S]*k60\b[\s\S]*Nothing to do/)
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes on with lines where its board breaks", () =>
    Effect.gen(function* () {
      const { boards, reporter } = yield* start(Effect.die(new Error("no terminal")))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([boards.opened, boards.up], [1, 0])
      yield* reporter.tell([conflict(1)])
      assert.match(yield* told, /k1/)
    }).pipe(Effect.provide(layer), Effect.provideService(Logger.CurrentLoggers, new Set()))
  )

  it.effect("takes its board down however the run ends", () =>
    Effect.gen(function* () {
      const { boards, close } = yield* start()
      yield* TestClock.adjust("1 second")
      assert.strictEqual(boards.up, 1)
      yield* close
      assert.strictEqual(boards.up, 0)
    }).pipe(Effect.provide(layer))
  )
})
