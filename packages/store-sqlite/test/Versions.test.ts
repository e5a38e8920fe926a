// Two versions of the program and one file: real processes, one of which knows tables that the other doesn't.
import { readdirSync } from "node:fs"
import { basename, dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Clock, Effect } from "effect"
import { migrations } from "../src/Migrations.ts"
import { child, nextLine } from "./child/Child.ts"
import { insert, storePath, unit } from "./child/StoreFixture.ts"

/** What the file says to any other program. */
const ask = (filename: string, sql: string) => {
  const db = new DatabaseSync(filename, { timeout: 5000 })
  try {
    return db
      .prepare(sql)
      .all()
      .flatMap((row) => Object.values(row))
  } finally {
    db.close()
  }
}

/** Of this program's tables; the other program's are one more. */
const version = migrations.length

const versionOf = (filename: string) => ask(filename, "PRAGMA user_version")

/** A store of this version with a hundred jobs. */
const filled = Effect.gen(function* () {
  const filename = yield* storePath
  const inserts = Array.from({ length: 100 }, (_, n) => insert(`${n}`))
  yield* Effect.scoped(
    Effect.flatMap(SqliteStore.makeDriver({ filename }), (driver) => driver.commit(unit({ inserts })))
  )
  return filename
})

const upgraded = Effect.fnUntraced(function* (filename: string) {
  const newer = yield* child("upgrade", filename)
  assert.strictEqual(yield* nextLine(newer), "ready")
  newer.process.stdin?.end()
  return (yield* nextLine(newer)) ?? ""
})

describe("two versions of the program", () => {
  it.live(
    "processes that upgrade at one moment upgrade once, and leave one whole copy of the old store",
    () =>
      Effect.gen(function* () {
        const filename = yield* filled
        const newer = yield* Effect.all(
          Array.from({ length: 4 }, () => child("upgrade", filename)),
          { concurrency: "unbounded" }
        )
        for (const one of newer) assert.strictEqual(yield* nextLine(one), "ready")
        for (const one of newer) one.process.stdin?.end()
        for (const one of newer) assert.strictEqual(yield* nextLine(one), `version ${version + 1}`)
        assert.deepStrictEqual(ask(filename, "SELECT added FROM store"), ["new"])
        const copy = `${filename}.version-${version}.backup`
        assert.deepStrictEqual(versionOf(copy), [version])
        assert.deepStrictEqual(ask(copy, "PRAGMA integrity_check"), ["ok"])
        assert.deepStrictEqual(ask(copy, "SELECT count(*) FROM jobs"), [100])
        assert.deepStrictEqual(
          readdirSync(dirname(filename))
            .filter((name) => !name.startsWith(`${basename(filename)}-`))
            .toSorted(),
          [basename(filename), basename(copy)],
          "nothing half is left"
        )
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "the newer one leaves a store alone on which hosts of the older one are at work",
    () =>
      Effect.gen(function* () {
        const filename = yield* filled
        const older = yield* child("host", filename)
        assert.strictEqual(yield* nextLine(older), "enlisted")
        const said = yield* upgraded(filename)
        assert.include(said, "ORCH_STORE_VERSION")
        assert.include(said, "host 1 of the older version is at work. Stop it first")
        assert.deepStrictEqual(versionOf(filename), [version])
        assert.notInclude(readdirSync(dirname(filename)), `${basename(filename)}.version-${version}.backup`)
        older.process.stdin?.write("turn\n")
        assert.strictEqual(yield* nextLine(older), "done", "and it works on")
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "the older one is fenced, and writes nothing more, when the store was upgraded while it was frozen",
    () =>
      Effect.gen(function* () {
        const filename = yield* filled
        const older = yield* child("host", filename)
        assert.strictEqual(yield* nextLine(older), "enlisted")
        const submitter = yield* SqliteStore.makeDriver({ filename })
        // As if it had been stopped for longer than a lease.
        const long = (yield* Clock.currentTimeMillis) - 60_000
        const db = new DatabaseSync(filename)
        db.prepare("UPDATE host SET beat_at = ?").run(long)
        db.close()
        assert.strictEqual(yield* upgraded(filename), `version ${version + 1}`)
        const before = ask(filename, "SELECT * FROM host")
        older.process.stdin?.write("turn\n")
        assert.strictEqual(yield* nextLine(older), "ORCH_HOST_FENCED")
        assert.deepStrictEqual(ask(filename, "SELECT * FROM host"), before)

        for (const error of [
          yield* Effect.flip(submitter.commit(unit({ inserts: [insert("late")] }))),
          yield* Effect.flip(submitter.enlist({ identity: "{}", at: 0 })),
          yield* Effect.flip(submitter.prune({ finished_before: 0, limit: 1 }))
        ]) {
          assert.strictEqual(error._tag, "ORCH_STORE_BROKEN")
          assert.include(error.message, "a newer version of Muster has upgraded the store")
        }
        assert.deepStrictEqual(ask(filename, "SELECT count(*) FROM jobs"), [100])
      }).pipe(Effect.scoped),
    60_000
  )
})
