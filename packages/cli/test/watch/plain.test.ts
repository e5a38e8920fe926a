import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { document, storeFolder, world } from "../CommandLine.ts"

/** The lines of a watch that nobody sees on a terminal, once there are so many. */
const linesOf = Effect.fnUntraced(function* (count: number) {
  for (;;) {
    const lines = (yield* TestConsole.logLines).map(String)
    if (lines.length >= count) return lines
    // files and imports are real: the test's clock goes on as far as they have come
    yield* TestClock.adjust("1 second")
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})

describe("muster watch without a terminal", () => {
  it.effect("prints a line whenever the fleet stands differently", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      yield* type(["submit", "-w", "count", '{"n":1}'])
      const before = (yield* TestConsole.logLines).length
      const watching = yield* Effect.forkChild(type(["watch"]))
      const [first] = (yield* linesOf(before + 1)).slice(before)
      assert.match(first ?? "", /^\d\d:\d\d:\d\d {2}no host {2}landed 0 {2}waiting 1 {2}working 0/)
      yield* type(["pause", "--json"])
      const lines = (yield* linesOf(before + 3)).slice(before)
      assert.match(lines.at(-1) ?? "", /paused .*held back by 1/)
      assert.strictEqual(lines.length, 3)
      yield* Fiber.interrupt(watching)
    }).pipe(Effect.provide(world))
  )

  it.effect("prints the document of muster status with --json", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      yield* type(["submit", "-w", "count", '{"n":1}'])
      const before = (yield* TestConsole.logLines).length
      const watching = yield* Effect.forkChild(type(["watch", "--json"]))
      const line = (yield* linesOf(before + 1))[before]
      assert.deepInclude(document("muster status", line), { dead_letters: 0, mode: "running" })
      yield* Fiber.interrupt(watching)
    }).pipe(Effect.provide(world))
  )
})
