import { assert, describe, it } from "@effect/vitest"
import { Effect, Scope, Exit } from "effect"
import { TestClock } from "effect/testing"
import { plain } from "../../src/output/Style.ts"
import * as BoardReporter from "../../src/run/BoardReporter.ts"
import { RunProgress } from "../../src/run/RunProgress.ts"
import { Terminal } from "./Terminal.ts"

const start = Effect.gen(function* () {
  const screen = new Terminal(80)
  const talk = new Terminal(80)
  const progress = new RunProgress(new Set(["w"]))
  const scope = yield* Scope.make()
  const options = { title: "w", store: "fleet.db", slots: 2, progress, style: plain, color: false }
  const reporter = yield* Scope.provide(BoardReporter.make(options, screen, talk), scope)
  yield* TestClock.adjust("100 millis")
  return { screen, talk, progress, reporter, close: Scope.close(scope, Exit.void) }
})

describe("the board's reporter", () => {
  it.effect("repaints ten times a second what the run has come to", () =>
    Effect.gen(function* () {
      const { progress, screen } = yield* start
      assert.match(screen.text, /^w · 2 slots · 100ms .*fleet\.db\n/)
      progress.claim({ jobId: "s-1", workflowType: "w", line: 1, state: "PENDING", dueAt: 0 }, 0)
      const before = screen.writes
      yield* TestClock.adjust("1 second")
      assert.match(screen.text, /landed 0 {2}working 0 {2}waiting 1/)
      assert.strictEqual(screen.writes - before, 10)
    })
  )

  it.effect("keeps what anybody writes above the board, and gives the streams back when it goes", () =>
    Effect.gen(function* () {
      const { close, screen, talk } = yield* start
      talk.write("a warning\nhalf a ")
      screen.write("line\n")
      talk.write("line\n")
      yield* TestClock.adjust("100 millis")
      assert.match(screen.text, /^a warning\nline\nhalf a line\nw · 2 slots/)
      yield* close
      assert.strictEqual(screen.text, "a warning\nline\nhalf a line")
      assert.isTrue(screen.cursorShown)
      talk.write("later")
      assert.strictEqual(talk.text, "later")
    })
  )

  it.effect("says that it stops, and has nothing more to paint after the end", () =>
    Effect.gen(function* () {
      const { close, reporter, screen } = yield* start
      yield* reporter.stopping
      assert.match(screen.text, /stopping: what runs is handed back/)
      yield* close
      const { writes } = screen
      yield* TestClock.adjust("1 second")
      assert.strictEqual(screen.writes, writes)
    })
  )
})
