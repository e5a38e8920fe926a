// What a suite in one process can't see: that the lock holds between processes.
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as JsonStore from "./JsonStore.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "store-json-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

it.live("three processes that write at once lose nothing of each other", () =>
  Effect.gen(function* () {
    const filename = join(yield* folder, "fleet.json")
    const program = join(import.meta.dirname, "enlister.ts")
    const run = Effect.promise(() =>
      promisify(execFile)(process.execPath, ["--conditions=@muster/source", program, filename])
    )
    yield* Effect.all([run, run, run], { concurrency: 3 })
    const driver = yield* JsonStore.makeDriver(filename)
    const hosts = yield* driver.records({ kind: "hosts", job: null, after: 0, limit: 100 })
    assert.deepStrictEqual(
      hosts.map(({ cursor }) => cursor),
      Array.from({ length: 60 }, (_, at) => at + 1)
    )
  })
)
