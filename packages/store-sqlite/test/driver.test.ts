// The patched driver (patches/): a COMMIT that fails must not leave the only connection inside a dead transaction.
import { SqliteClient } from "@effect/sql-sqlite-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"

const memory = SqliteClient.layer({ filename: ":memory:" })

/** A child row whose parent is missing: the foreign key is deferred, so it is the COMMIT that fails. */
const commitThatFails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.exit(sql.withTransaction(sql`INSERT INTO child (parent) VALUES (7)`))
})

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`PRAGMA foreign_keys = ON`
  yield* sql`CREATE TABLE parent (id INTEGER PRIMARY KEY)`
  yield* sql`CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`
})

describe("the SQLite driver", () => {
  it.effect(
    "after a COMMIT that failed, the next transaction succeeds and the failed one has left nothing",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* tables
        const failed = yield* commitThatFails
        expect(Exit.isFailure(failed)).toBe(true)

        yield* sql.withTransaction(sql`INSERT INTO parent (id) VALUES (1)`)
        expect((yield* sql`SELECT count(*) AS n FROM parent`)[0]).toMatchObject({ n: 1 })
        expect((yield* sql`SELECT count(*) AS n FROM child`)[0]).toMatchObject({ n: 0 })
      }).pipe(Effect.provide(memory))
  )

  it.effect("a transaction may begin with BEGIN IMMEDIATE, and its failure rolls it back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* tables
      const failed = yield* sql
        .withTransaction(Effect.andThen(sql`INSERT INTO parent (id) VALUES (1)`, Effect.fail("no")))
        .pipe(Effect.provideService(SqlClient.BeginTransaction, "BEGIN IMMEDIATE"), Effect.flip)
      expect(failed).toBe("no")
      expect((yield* sql`SELECT count(*) AS n FROM parent`)[0]).toMatchObject({ n: 0 })
    }).pipe(Effect.provide(memory))
  )
})
