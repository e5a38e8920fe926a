// The store on real files: the contract's own suite, with a second connection as another process would have it.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { storeSuite } from "@muster/core/testing"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "store-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

storeSuite(
  "SqliteStore",
  Effect.map(folder, (path) => join(path, "fleet.db")).pipe(
    Effect.flatMap((filename) => {
      // What the suite asks of a store has nothing to do with power losses, and a sync a commit would make it slow.
      const open = SqliteStore.makeDriver({ filename, synchronous: "NORMAL" })
      return Effect.map(open, (driver) => ({ driver, reopen: open }))
    })
  )
)

storeSuite(
  "SqliteStore in memory",
  Effect.map(SqliteStore.makeDriver({ filename: ":memory:" }), (driver) => ({ driver }))
)
