// How the fleet stands, again and again: in place on a terminal, as blocks or documents elsewhere.
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { within } from "../../src/actions/StatusWatch.ts"
import { document, storeFolder, world } from "../CommandLine.ts"
import { inFolder } from "../run/MusterProcess.ts"
import { hasTerminals, onTerminal } from "./Pty.ts"

/** What is printed, once it has been so often. */
const printed = Effect.fnUntraced(function* (from: number, count: number) {
  for (;;) {
    const texts = (yield* TestConsole.logLines).slice(from).map(String)
    if (texts.length >= count) return texts
    // files are real: the test's clock goes on as far as they have come
    yield* TestClock.adjust("500 millis")
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})

const watching = Effect.fnUntraced(function* (args: ReadonlyArray<string>, count: number) {
  const { type } = yield* storeFolder
  yield* type(["submit", "-w", "count", '{"n":1}'])
  const before = (yield* TestConsole.logLines).length
  const fiber = yield* Effect.forkChild(type(["status", "--watch", ...args]))
  const texts = yield* printed(before, count)
  yield* Fiber.interrupt(fiber)
  return texts
})

describe("muster status --watch", () => {
  it.effect("prints block after block where there is no terminal, an empty line between two", () =>
    Effect.gen(function* () {
      const [first = "", between, second = ""] = yield* watching(["--interval", "1"], 3)
      assert.match(first, /^store {4}.*fleet\.db/)
      assert.strictEqual(between, "")
      assert.match(second, /count +1 +0 +0 +1$/)
    }).pipe(Effect.provide(world))
  )

  it.effect("prints one document a line with --json", () =>
    Effect.gen(function* () {
      const lines = yield* watching(["--json"], 3)
      for (const line of lines) assert.deepInclude(document("muster status", line), { dead_letters: 0 })
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses an interval that no store should bear", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      const said = yield* type(["status", "--watch", "--interval", "0.001"])
      assert.strictEqual(said.exitCode, 2)
      assert.include(said.err, "0.1 to 3600")
    }).pipe(Effect.provide(world))
  )

  it("shows as many lines as there are rows, and says how many more there are", () => {
    const lines = ["a", "b", "c", "d"]
    assert.deepStrictEqual(within(lines, 4), lines)
    assert.deepStrictEqual(within(lines, 3), ["a", "b", "… 2 lines more"])
    assert.deepStrictEqual(within(lines, 0), ["… 4 lines more"])
  })

  // Linux of any kind has it in its base system, and CI runs on Linux.
  describe.skipIf(!hasTerminals)("on a terminal", () => {
    it.each(["key", "SIGINT"] as const)(
      "draws in place, and ends with 0 on a %s",
      { timeout: 20_000 },
      (end) =>
        inFolder(async ({ env, folder, path, start }) => {
          await start("submit", "-w", "crawl", '{"n":1}').ended
          const board = onTerminal(folder, env, "status --watch --interval 0.2", { columns: 80, rows: 24 })
          await board.shown("q ends it")
          if (end === "key") board.type("q")
          else process.kill(Number(readFileSync(path("pid"), "utf8")), end)
          const out = await board.ended
          const after = out.slice(out.lastIndexOf("\u001B[?1049l"))
          assert.include(after, "left with 0")
          // whoever has looked and leaves keeps what was seen last
          if (end === "key") assert.match(after, /crawl +1/)
        })
    )
  })
})
