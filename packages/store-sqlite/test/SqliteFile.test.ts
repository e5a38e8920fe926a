// The file: what opening it makes, keeps and refuses, and what the tables themselves refuse.
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { AgentMachine, JobMachine } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { connect, networkFileSystem } from "../src/Connection.ts"
import { migrate, migrations } from "../src/Migrations.ts"
import { change, claim, event, finish, insert, start, storePath, unit } from "./child/StoreFixture.ts"

/** The file, as any other program sees it. */
const raw = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename)),
    (db) => Effect.sync(() => db.close())
  )

/** Of this program's tables. */
const version = migrations.length

const refusal = (filename: string) => Effect.flip(Effect.scoped(SqliteStore.makeDriver({ filename })))

describe("the file of a store", () => {
  it.effect("opening makes the folder and keeps the id for ever", () =>
    Effect.gen(function* () {
      const filename = join(dirname(yield* storePath), "deep", "er", "fleet.db")
      const open = Effect.scoped(
        Effect.flatMap(SqliteStore.makeDriver({ filename }), (driver) => driver.open)
      )
      const first = yield* open
      assert.match(first.id, /^[a-z0-9]{6}$/)
      assert.strictEqual(first.name, filename)
      assert.deepStrictEqual(yield* open, first)
    }).pipe(Effect.scoped)
  )

  it.effect("a store of a newer version is refused and left as it is", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      yield* Effect.scoped(SqliteStore.makeDriver({ filename }))
      const db = yield* raw(filename)
      db.exec("PRAGMA user_version = 99")
      const error = yield* refusal(filename)
      assert.strictEqual(error._tag, "ORCH_STORE_VERSION")
      assert.include(error.message, "newer version")
      assert.deepEqual(db.prepare("PRAGMA user_version").get(), { user_version: 99 })
    }).pipe(Effect.scoped)
  )

  it.effect("a store of an older version is copied beside itself and then brought up", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      const driver = yield* SqliteStore.makeDriver({ filename })
      yield* driver.commit(unit({ inserts: [insert("kept")] }))
      const { id } = yield* driver.open
      // What an upgrade that died half way has left.
      writeFileSync(`${filename}.version-${version}.backup`, "half a copy")

      const steps = [...migrations, ["ALTER TABLE store ADD COLUMN added TEXT DEFAULT 'new'"]]
      const database = yield* connect({ filename })
      assert.strictEqual(yield* migrate(database, filename, steps), version + 1)
      const db = yield* raw(filename)
      assert.deepEqual(db.prepare("SELECT id, added FROM store").get(), { id, added: "new" })
      const copy = yield* raw(`${filename}.version-${version}.backup`)
      assert.deepEqual(copy.prepare("PRAGMA user_version").get(), { user_version: version })
      assert.deepEqual(copy.prepare("SELECT idempotency_key FROM jobs").all(), [{ idempotency_key: "kept" }])
      assert.strictEqual(
        (yield* refusal(filename))._tag,
        "ORCH_STORE_VERSION",
        "it is newer than this program"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("an upgrade that fails leaves the old store as it was", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      yield* Effect.scoped(SqliteStore.makeDriver({ filename }))
      const database = yield* connect({ filename })
      const steps = [...migrations, ["CREATE TABLE half (way INTEGER)", "SELECT nonsense"]]
      yield* Effect.flip(migrate(database, filename, steps))
      const db = yield* raw(filename)
      assert.deepEqual(db.prepare("PRAGMA user_version").get(), { user_version: version })
      assert.lengthOf(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'half'").all(), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("another program's database, a file that is none, and a folder are refused", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      const db = yield* raw(filename)
      db.exec("CREATE TABLE theirs (x)")
      assert.include((yield* refusal(filename)).message, "another program")
      assert.lengthOf(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'store'").all(), 0)

      const text = `${filename}.txt`
      writeFileSync(text, "not a database, and long enough to be looked at as one ".repeat(40))
      assert.strictEqual((yield* refusal(text))._tag, "ORCH_STORE_BROKEN")
      const folder = `${filename}.d`
      mkdirSync(folder)
      const refused = yield* refusal(folder)
      assert.strictEqual(refused._tag, "ORCH_STORE_BROKEN")
      assert.include(refused.message, `${folder} is a folder`)
      assert.isFalse(existsSync(`${text}-wal`))
    }).pipe(Effect.scoped)
  )

  it("network file systems are known by their numbers, local ones are let through", () => {
    assert.strictEqual(networkFileSystem(0x6969), "NFS")
    assert.strictEqual(networkFileSystem(-11317950), "CIFS", "the number as statfs gives it, with a sign")
    for (const local of [0xef53, 0x01021994, 0x9123683e, 0x794c7630])
      assert.isUndefined(networkFileSystem(local))
  })

  it.effect("a commit is durable as the setting says: FULL unless it is asked for less", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      for (const [options, expected] of [
        [{}, 2],
        [{ synchronous: "NORMAL" as const }, 1]
      ] as const) {
        const { connection } = yield* connect({ filename, ...options })
        assert.deepEqual(yield* connection.execute("PRAGMA synchronous", [], undefined), [
          { synchronous: expected }
        ])
        assert.deepEqual(yield* connection.execute("PRAGMA journal_mode", [], undefined), [
          { journal_mode: "wal" }
        ])
        assert.deepEqual(yield* connection.execute("PRAGMA foreign_keys", [], undefined), [
          { foreign_keys: 1 }
        ])
      }
    }).pipe(Effect.scoped)
  )
})

describe("the tables", () => {
  it.effect(
    "refuse what no table has, and events without reason, actor or time, whoever writes (law 2, R12)",
    () =>
      Effect.gen(function* () {
        const filename = yield* storePath
        const driver = yield* SqliteStore.makeDriver({ filename })
        yield* driver.commit(unit({ inserts: [insert("a")] }))
        const db = yield* raw(filename)
        for (const statement of [
          `UPDATE job_state SET state = ${JobMachine.states.length}`,
          `UPDATE job_state SET state = -1`,
          `UPDATE job_state SET state = 'PROCESSING'`,
          `UPDATE job_state SET agent_state = ${AgentMachine.states.length}`,
          `UPDATE job_state SET standing = 9`,
          `UPDATE job_state SET owner_host = 1`,
          `UPDATE job_state SET hung = 2`,
          `UPDATE job_state SET updated_at = NULL`,
          `UPDATE event SET move = NULL`,
          `UPDATE event SET move = 0`,
          `UPDATE event SET actor = NULL`,
          `UPDATE event SET occurred_at = NULL`,
          `UPDATE event SET previous = sequence`,
          `UPDATE move SET reason = ''`,
          `UPDATE move SET reason = NULL`,
          `UPDATE move SET to_state = 'COMPLETED'`,
          `UPDATE move SET event = 'complete'`,
          `UPDATE move SET event = 'validate', to_state = 'VALIDATING'`,
          `UPDATE move SET to_state = NULL, from_state = 'PENDING'`,
          `UPDATE move SET subject_kind = 'fleet'`,
          `UPDATE actor SET name = ''`,
          `INSERT INTO intent (kind, reason, actor, requested_at) VALUES ('pause', '', 'operator:ana', 1)`
        ])
          assert.throws(() => db.exec(statement), /constraint failed|cannot store/, statement)
      }).pipe(Effect.scoped)
  )

  it.effect("say their words to whoever reads the schema", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      yield* SqliteStore.makeDriver({ filename })
      const db = yield* raw(filename)
      const sql = String(db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'job_state'").get()?.["sql"])
      for (const [number, state] of JobMachine.states.entries()) assert.include(sql, `${number} ${state}`)
      for (const [number, state] of AgentMachine.states.entries()) assert.include(sql, `${number} ${state}`)
    }).pipe(Effect.scoped)
  )

  it.effect("tell the whole story of a job to anyone with sqlite3", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      const driver = yield* SqliteStore.makeDriver({ filename })
      const { id } = yield* driver.open
      const host = yield* driver.enlist({ identity: "{}", at: start })
      yield* driver.commit(unit({ inserts: [insert("a", { priority: 3 })] }))
      const rows = () =>
        Effect.map(driver.jobs({ by: "seq", seqs: [1], bodies: true }), (answer) => answer.rows)
      const commit = (turn: number, parts: Parameters<typeof unit>[0]) =>
        driver.commit(unit({ fence: { host: host.host, epoch: host.epoch, turn }, ...parts }))
      yield* commit(1, { changes: (yield* rows()).map((row) => claim(row, host)) })
      yield* commit(2, { changes: (yield* rows()).map((row) => finish(row, id)) })
      yield* commit(3, { notes: [{ ...event({ event: "late", to_state: null }), job: 1 }] })
      const db = yield* raw(filename)
      assert.deepEqual(
        db
          .prepare(
            "SELECT job_id, correlation_id, subject_kind, event, from_state, to_state, actor, occurred_at FROM events"
          )
          .all()
          .map((row) => Object.values(row).join(" ")),
        [
          ["job submit", null, "PENDING operator:ana"],
          ["job validate", "PENDING", "VALIDATING host:1"],
          ["job accept", "VALIDATING", "PROCESSING host:1"],
          ["agent dispatch", null, "dispatched host:1"],
          ["agent abandon", "dispatched", `abandoned agent:${id}-1`],
          ["job cancel", "PROCESSING", "CANCELLED operator:ana"],
          ["job late", null, " operator:ana"]
        ].map(([what, from, to]) => `${id}-1 ${id}-1 ${what} ${from ?? ""} ${to} 2025-06-15T15:06:40.000Z`)
      )
      assert.deepInclude(db.prepare("SELECT * FROM jobs").get(), {
        job_id: `${id}-1`,
        current_state: "CANCELLED",
        owner_agent: `agent:${id}-1`,
        run_at: "2025-06-15T15:06:40.000Z",
        priority: 3,
        result: `"done"`
      })
      assert.deepInclude(db.prepare("SELECT * FROM agents").get(), {
        agent_id: `agent:${id}-1`,
        current_state: "abandoned",
        standing: "closing",
        incarnation: 1
      })
      yield* Effect.flip(commit(4, { changes: (yield* rows()).map((row) => change(row, { state: "LOST" })) }))
    }).pipe(Effect.scoped)
  )
})
