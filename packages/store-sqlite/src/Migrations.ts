/**
 * The versions of the tables, as data. A store of an older version is copied beside itself and then brought up; one of a newer
 * version is refused, since this program can't know what it means.
 */
import { rmSync } from "node:fs"
import { StoreBroken } from "@muster/core"
import { Effect, Random } from "effect"
import type { Database } from "./Connection.ts"
import { version1 } from "./schema/Version1.ts"
import { ask, type Connection } from "./Statements.ts"

/** Statements from the version before, in order; the first entry makes version 1 out of an empty file. Append only. */
export const migrations: ReadonlyArray<ReadonlyArray<string>> = [version1]

/** "MUST", in the file's header: another program's file is not ours to touch. */
const applicationId = 0x4d555354

const digits = "abcdefghijklmnopqrstuvwxyz0123456789"

/** Six characters of a-z0-9, made once a store. */
const newId = Effect.gen(function* () {
  let id = ""
  while (id.length < 6) id += digits.charAt(yield* Random.nextIntBetween(0, digits.length - 1))
  return id
})

const versionOf = Effect.fnUntraced(function* (connection: Connection) {
  const [row] = yield* ask<{
    readonly version: number
    readonly application: number
    readonly tables: number
  }>(
    connection,
    `SELECT (SELECT user_version FROM pragma_user_version) AS version,
      (SELECT application_id FROM pragma_application_id) AS application,
      (SELECT count(*) FROM sqlite_schema) AS tables`
  )
  return row ?? { version: 0, application: 0, tables: 0 }
})

const refused = (detail: string) => new StoreBroken({ operation: "open", detail })

const upgrade = (connection: Connection, steps: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.gen(function* () {
    // Another process may have been faster.
    const { version } = yield* versionOf(connection)
    for (const statement of steps.slice(version).flat()) yield* ask(connection, statement)
    if (version === 0) yield* ask(connection, `INSERT INTO store (only, id) VALUES (1, ?)`, [yield* newId])
    yield* ask(connection, `PRAGMA user_version = ${steps.length}`)
    yield* ask(connection, `PRAGMA application_id = ${applicationId}`)
  })

/**
 * Brings the open database to the current version, and answers it. An older store is first copied beside itself, as `<name>.version-<n>.backup`.
 * `steps` are the migrations; another list is for their tests.
 */
export const migrate = Effect.fnUntraced(function* (
  { connection, transaction }: Database,
  name: string,
  steps: ReadonlyArray<ReadonlyArray<string>> = migrations
) {
  const { application, tables, version } = yield* versionOf(connection)
  if (tables > 0 && application !== applicationId)
    return yield* refused(`${name} is a database of another program`)
  if (version > steps.length)
    return yield* refused(
      `${name} was written by a newer version (its tables are version ${version}, this program knows ${steps.length}); update this program`
    )
  if (version > 0 && version < steps.length) {
    const backup = `${name}.version-${version}.backup`
    // Left by a start that died before it could upgrade: the store is still that old, so a new copy replaces it.
    yield* Effect.sync(() => rmSync(backup, { force: true }))
    yield* ask(connection, `VACUUM INTO ?`, [backup])
  }
  if (version < steps.length) yield* transaction(upgrade(connection, steps))
  return steps.length
})
