// Simulated lives of the store that ships, on real files with a connection for each process: as an author tries out a store of their own.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { simulate } from "@muster/fleet/testing"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "simulated-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const acquireStore = Effect.flatMap(folder, (path) => {
  const open = SqliteStore.makeDriver({ filename: join(path, "fleet.db"), synchronous: "NORMAL" })
  return Effect.map(open, (driver) => ({ driver, reopen: open }))
})

describe("the SQLite store under a simulated fleet", () => {
  it.live(
    "keeps every promise of the fleet, and holds what was committed",
    () =>
      Effect.gen(function* () {
        const report = yield* simulate({ seed: 1, runs: 12, shrinks: 0, acquireStore })
        assert.deepStrictEqual(
          report.failed.map(({ story }) => story),
          []
        )
        assert.strictEqual(report.runs, 12)
      }),
    120_000
  )
})
