// A look at a store's file that changes nothing, whatever the file is.
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Result } from "effect"
import { migrations } from "../src/Migrations.ts"
import { insert, storePath, unit } from "./child/StoreFixture.ts"

const inserts = Array.from({ length: 200 }, (_, n) => insert(`${n}`))

const filled = Effect.gen(function* () {
  const filename = yield* storePath
  yield* Effect.scoped(
    Effect.flatMap(SqliteStore.makeDriver({ filename }), (driver) => driver.commit(unit({ inserts })))
  )
  return filename
})

const change = (filename: string, sql: string): void => {
  const db = new DatabaseSync(filename)
  db.exec(sql)
  db.close()
}

describe("the inspection of a store's file", () => {
  it.live("finds a sound store sound, and leaves it as it is", () =>
    Effect.gen(function* () {
      const filename = yield* filled
      const before = readFileSync(filename)
      const found = yield* SqliteStore.inspect(filename)
      assert.deepStrictEqual(found, {
        bytes: before.length,
        logBytes: 0,
        network: null,
        writable: true,
        isStore: true,
        version: migrations.length,
        known: migrations.length,
        faults: []
      })
      assert.isTrue(readFileSync(filename).equals(before))
      assert.isNull((yield* SqliteStore.inspect(filename, { checkUpTo: 1_000 })).faults)
    }).pipe(Effect.scoped)
  )

  it.live("tells a newer store, an older one and another program's, and upgrades none", () =>
    Effect.gen(function* () {
      const filename = yield* filled
      for (const version of [99, 1]) {
        change(filename, `PRAGMA user_version = ${version}`)
        assert.strictEqual((yield* SqliteStore.inspect(filename)).version, version)
      }
      assert.deepStrictEqual(
        readdirSync(dirname(filename)).filter((name) => name.includes("backup")),
        []
      )
      change(filename, "PRAGMA application_id = 7")
      assert.isFalse((yield* SqliteStore.inspect(filename)).isStore)
    }).pipe(Effect.scoped)
  )

  it.live("sees what a broken disk has left", () =>
    Effect.gen(function* () {
      const filename = yield* filled
      const bytes = readFileSync(filename)
      const pageBytes = bytes.readUInt16BE(16)
      // the last half of the pages, as a file system may give them back
      bytes.fill(0x5a, Math.floor(bytes.length / pageBytes / 2) * pageBytes)
      writeFileSync(filename, bytes)
      const found = yield* Effect.result(SqliteStore.inspect(filename))
      const faults = Result.isSuccess(found) ? found.success.faults : [found.failure.detail]
      assert.isNotEmpty(faults)
    }).pipe(Effect.scoped)
  )

  it.live("fails for what is no database, and says which file", () =>
    Effect.gen(function* () {
      const filename = join(dirname(yield* storePath), "notes.db")
      writeFileSync(
        filename,
        "not a database, and long enough to have a header of its own, which SQLite reads first. ".repeat(20)
      )
      const error = yield* Effect.flip(SqliteStore.inspect(filename))
      assert.include(error.detail, filename)
      assert.include((yield* Effect.flip(SqliteStore.inspect(`${filename}.none`))).detail, "ENOENT")
    }).pipe(Effect.scoped)
  )
})
