/**
 * The versions of the tables, as data. A store of an older version is copied beside itself and then brought up; one of a newer
 * version is refused, since this program can't know what it means.
 */
import { defaults, HostFenced, StoreBroken, StoreVersion } from "@muster/core"
import { Clock, Effect, Random } from "effect"
import type { Database } from "./Connection.ts"
import { copyStore } from "./Copy.ts"
import { version1 } from "./schema/Version1.ts"
import { version2 } from "./schema/Version2.ts"
import { version3 } from "./schema/Version3.ts"
import { ask, type Connection } from "./Statements.ts"

/** Statements from the version before, in order; the first entry makes version 1 out of an empty file. Append only. */
export const migrations: ReadonlyArray<ReadonlyArray<string>> = [version1, version2, version3]

/** "MUST", in the file's header: another program's file is not ours to touch. */
export const applicationId = 0x4d555354

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

/** Hosts of the older version that give a sign of life: what they know of the tables must stay true. */
const living = Effect.fnUntraced(function* (connection: Connection) {
  const now = yield* Clock.currentTimeMillis
  const hosts = yield* ask<{ readonly host: number; readonly beat_at: number }>(
    connection,
    `SELECT host, beat_at FROM host WHERE state = 'live' AND beat_at > ?`,
    [now - defaults.leaseMillis]
  )
  return hosts.map(({ host }) => host)
})

const lease = `${defaults.leaseMillis / 1000} seconds`

/**
 * Runs with the write lock held, from the look at the version to the last statement: nothing is written between the copy and the upgrade, and
 * of several processes one upgrades, the others find it done.
 */
const upgrade = Effect.fnUntraced(function* (
  connection: Connection,
  name: string,
  steps: ReadonlyArray<ReadonlyArray<string>>
) {
  const { version } = yield* versionOf(connection)
  if (version >= steps.length) return
  if (version > 0) {
    const hosts = yield* living(connection)
    if (hosts.length > 0)
      return yield* new StoreVersion({
        name,
        version,
        known: steps.length,
        obstacle: `host ${hosts.join(", ")} of the older version is at work. Stop it first; one that was killed counts for ${lease} more.`
      })
    // Another connection copies: this one is in a transaction.
    yield* copyStore(name, `${name}.version-${version}.backup`, "replace")
    // A host of the older version that was frozen and wakes up finds that its time is over.
    yield* ask(
      connection,
      `UPDATE host SET state = 'fenced', ended_at = ${yield* Clock.currentTimeMillis} WHERE state = 'live'`
    )
  }
  for (const statement of steps.slice(version).flat()) yield* ask(connection, statement)
  if (version === 0) yield* ask(connection, `INSERT INTO store (only, id) VALUES (1, ?)`, [yield* newId])
  yield* ask(connection, `PRAGMA user_version = ${steps.length}`)
  yield* ask(connection, `PRAGMA application_id = ${applicationId}`)
})

/**
 * Brings the open database to the current version, and answers it. An older store is first copied beside itself, as `<name>.version-<n>.backup`;
 * one that hosts of the older version work on is refused. `steps` are the migrations; another list is for their tests.
 */
export const migrate = Effect.fnUntraced(function* (
  { connection, readOnly, transaction }: Database,
  name: string,
  steps: ReadonlyArray<ReadonlyArray<string>> = migrations
) {
  const { application, tables, version } = yield* versionOf(connection)
  if (tables > 0 && application !== applicationId)
    return yield* refused(`${name} is a database of another program`)
  if (version > steps.length)
    return yield* new StoreVersion({ name, version, known: steps.length, obstacle: "" })
  if (version < steps.length && readOnly)
    return yield* new StoreVersion({
      name,
      version,
      known: steps.length,
      obstacle: "it can't be written here. Open it once where it can."
    })
  if (version < steps.length) yield* transaction(upgrade(connection, name, steps))
  return steps.length
})

/** Within a transaction, before anything is written: the words where a newer program has brought the tables up since this one has opened them. */
const upgradedMeanwhile = Effect.fnUntraced(function* (connection: Connection) {
  const [row] = yield* ask<{ readonly user_version: number }>(connection, `PRAGMA user_version`)
  const version = row?.user_version ?? 0
  return version === migrations.length
    ? null
    : `a newer version of Muster has upgraded the store meanwhile (its tables are version ${version}, this program knows ${migrations.length}). Start that version instead`
})

/** Nothing is written by a program that doesn't know the tables any more. */
export const unchanged = Effect.fnUntraced(function* (connection: Connection, operation: string) {
  const detail = yield* upgradedMeanwhile(connection)
  if (detail !== null) return yield* new StoreBroken({ operation, detail, refused: true })
  return undefined
})

/** The same for a host: the upgrade has ended the epochs of all, and it ends as it does whenever its time is over. */
export const unchangedFor = Effect.fnUntraced(function* (
  connection: Connection,
  { epoch, host }: { readonly host: number; readonly epoch: number }
) {
  const detail = yield* upgradedMeanwhile(connection)
  if (detail === null) return undefined
  yield* Effect.logError(detail)
  return yield* new HostFenced({ host, epoch })
})
