// A real SQLite file for the drift gate: opened as a host opens it, and changed behind its back as a bad migration would.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type DeclaredList, declaredWords, driftLine, readVocabulary, Store, wordDrifts } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"

/** A path in a folder of its own, removed with the scope. */
export const storePath = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "drift-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
).pipe(Effect.map((path) => join(path, "fleet.db")))

/** Runs on the file as it is opened by a host. */
export const opened = <A, E>(filename: string, effect: Effect.Effect<A, E, Store>) =>
  Effect.provide(effect, SqliteStore.layer({ filename, synchronous: "NORMAL" }))

/** Rewrites the text of a table or view, as nothing but a migration should; the text must be there. */
export const rewrite = (filename: string, name: string, from: string | RegExp, to: string) =>
  Effect.sync(() => {
    // Node's types lag behind: versions that guard the schema by default have it.
    const db = new DatabaseSync(filename) as DatabaseSync & { enableDefensive?: (active: boolean) => void }
    try {
      db.enableDefensive?.(false)
      db.exec("PRAGMA writable_schema = ON")
      const row = db.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").get(name)
      const before = String(row?.["sql"])
      const after = before.replace(from, to)
      if (after === before) throw new Error(`${name} has no ${from}`)
      db.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = ?").run(after, name)
    } finally {
      db.close()
    }
  })

/** The lines of the gate for the file, its path left out. */
export const linesOf = (filename: string, declared: ReadonlyArray<DeclaredList> = declaredWords()) =>
  opened(
    filename,
    Effect.map(readVocabulary(), (rows) => wordDrifts(declared, rows, "fleet.db").map(driftLine))
  )
