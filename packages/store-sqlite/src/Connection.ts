/**
 * The one connection of a store: a file in a folder of its own making, in WAL mode, with the promises of its settings.
 */
import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { pathToFileURL } from "node:url"
import { SqliteClient } from "@effect/sql-sqlite-node"
import { StoreBroken } from "@muster/core"
import { Cause, Effect, Exit } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import { ask, type Connection } from "./Statements.ts"

export interface SqliteStoreOptions {
  /** The database file; its folder is made if it is missing. `:memory:` for a store that ends with its scope. */
  readonly filename: string
  /**
   * `FULL` (the default): an acknowledged commit survives a power loss. `NORMAL`: it survives a crash of the process; a power loss may
   * lose the last commits and never corrupts the file.
   */
  readonly synchronous?: "FULL" | "NORMAL"
  /**
   * Milliseconds for which a statement waits for another process, with the event loop standing still: 20 for hosts, which ask again
   * (R15), some 5,000 for a program that does one thing.
   */
  readonly busyTimeout?: number
  /**
   * `write` (the default). `read`: where the file, its folder or its medium can't be written, it is opened for reading alone, and every
   * write fails; elsewhere no different.
   */
  readonly access?: "write" | "read"
}

const inMemory = ":memory:"

/** Network file systems by the magic number of statfs(2): SQLite's locks and its shared memory can't be trusted there. */
const networkFileSystems: Record<number, string> = {
  0x6969: "NFS",
  0x517b: "SMB",
  0xfe534d42: "SMB",
  0xff534d42: "CIFS",
  0x5346414f: "AFS"
}

/** The network file system behind the type that statfs answers; undefined for a local one, or one that is not known. */
export const networkFileSystem = (type: number): string | undefined => networkFileSystems[type >>> 0]

const broken = (detail: string, cause?: unknown) =>
  new StoreBroken({ operation: "open", detail, ...(cause === undefined ? {} : { cause }) })

/** One level at a time: `recursive` tries for ever where the system denies that a parent is there, as /proc does. */
const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder)) throw error
  }
}

/** Makes the folder and refuses one on a network file system, where that can be told (Linux). */
const prepareFolder = Effect.fnUntraced(function* (folder: string) {
  const type = yield* Effect.try({
    try: () => {
      makeFolder(folder)
      return process.platform === "linux" ? statfsSync(folder).type : 0
    },
    catch: (cause) => broken(`the folder ${folder} can't be made or read`, cause)
  })
  const network = networkFileSystem(type)
  if (network !== undefined)
    return yield* broken(`${folder} is on a network file system (${network}); put the store on a local disk`)
  return folder
})

/** An open file. */
export interface Database {
  /** For statements outside and inside of a transaction alike: there is no other. */
  readonly connection: Connection
  /** A transaction takes the write lock at once: it can't lose it half way to a writer that was faster. */
  readonly transaction: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError.SqlError, R>
  /** It can't be written, as it is on this machine and to this user. */
  readonly readOnly: boolean
}

/** Sets for how many milliseconds a statement waits for another process. */
export const waitAtMost = (connection: Connection, milliseconds: number) =>
  ask(connection, `PRAGMA busy_timeout = ${milliseconds}`)

/** While a store is opened, nothing else runs yet that the wait could hold up, and another process may be making the tables. */
const whileOpening = 5000

const may = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** SQLite writes beside the file, too. */
export const isWritable = (filename: string): boolean =>
  may(filename, constants.W_OK) && may(dirname(filename), constants.W_OK)

/**
 * The name under which a file that can't be written is read. Beside the traces of a writer SQLite reads it as it is; without them it wants to
 * make them and can't, unless it is told that nobody writes.
 */
export const nameForReading = (filename: string): string =>
  existsSync(`${filename}-wal`) ? filename : `${pathToFileURL(filename).href}?immutable=1`

const unreadable = (filename: string): string =>
  may(filename, constants.R_OK)
    ? `${filename} can't be written here, and can't be read so, as a writer has left ${filename}-wal beside it. Open it once where it can be written, or copy all its files there`
    : `${filename} can't be read: permission denied`

/** Opens the file; closed with the scope. */
export const connect = Effect.fnUntraced(function* (options: SqliteStoreOptions) {
  const { filename, synchronous = "FULL" } = options
  const readOnly = options.access === "read" && existsSync(filename) && !isWritable(filename)
  if (filename !== inMemory && !readOnly) yield* prepareFolder(dirname(filename))
  const opened = yield* Effect.exit(
    SqliteClient.make({
      filename: readOnly ? nameForReading(filename) : filename,
      readonly: readOnly,
      disableWAL: true,
      prepareCacheSize: 500
    }).pipe(Effect.provide(Reactivity.layer))
  )
  // The client lets the driver's own exceptions through as defects: no such folder, no permission.
  if (Exit.isFailure(opened))
    return yield* broken(
      readOnly
        ? unreadable(filename)
        : `${filename} ${isFolder(filename) ? "is a folder" : "can't be opened"}`,
      Cause.squash(opened.cause)
    )
  const sql = opened.value
  const connection = yield* Effect.scoped(sql.reserve)
  yield* waitAtMost(connection, whileOpening)
  // It opens late: with the first statement that reads.
  if (readOnly)
    yield* ask(connection, `SELECT count(*) FROM sqlite_schema`).pipe(
      Effect.mapError((error) => broken(unreadable(filename), error))
    )
  for (const setting of [
    ...(filename === inMemory || readOnly ? [] : ["journal_mode = WAL"]),
    `synchronous = ${synchronous}`,
    `foreign_keys = ON`,
    // 64 MiB of pages in memory, and at most as much of a log that has been copied into the file.
    `cache_size = -65536`,
    `journal_size_limit = 67108864`,
    `temp_store = MEMORY`
  ])
    yield* ask(connection, `PRAGMA ${setting}`)
  const database: Database = {
    connection,
    readOnly,
    transaction: (effect) =>
      Effect.provideService(sql.withTransaction(effect), SqlClient.BeginTransaction, "BEGIN IMMEDIATE")
  }
  return database
})
