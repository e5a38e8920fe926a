// What is said of a configuration's file before anything in it is looked at.
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { read } from "../../src/config/Loading.ts"
import { world } from "../CommandLine.ts"

layer(world)("a configuration's file", (it) => {
  it.effect("that waits for something while it is loaded is told of after 10 seconds, and waited for", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = join(yield* fs.makeTempDirectoryScoped(), "muster.config.mjs")
      yield* fs.writeFileString(path, "await new Promise(() => {})\nexport default {}\n")
      const loading = yield* Effect.forkChild(read({ path, by: "flag" }), { startImmediately: true })
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(yield* TestConsole.errorLines, [])
      yield* TestClock.adjust("2 seconds")
      const [said] = yield* TestConsole.errorLines
      assert.match(String(said), /muster\.config\.mjs is still being loaded after 10 seconds/)
      assert.isUndefined(loading.pollUnsafe())
      yield* Fiber.interrupt(loading)
    })
  )

  it.effect("that is a folder is refused", () =>
    Effect.gen(function* () {
      const path = yield* FileSystem.FileSystem.use((fs) => fs.makeTempDirectoryScoped())
      const { detail } = yield* Effect.flip(read({ path, by: "flag" }))
      assert.match(detail, /^it is a folder/)
    })
  )
})
