/**
 * A look at a store's file that changes nothing: no migration, no log of its own, no lock that a writer could want. For who asks whether it
 * can be opened, and whether it is sound.
 */
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { StoreBroken } from "@muster/core"
import { Effect } from "effect"
import { isWritable, nameForReading, networkFileSystem } from "./Connection.ts"
import { applicationId, migrations } from "./Migrations.ts"

export interface Inspection {
  /** Of the file, and of the log of what is not copied into it yet. */
  readonly bytes: number
  readonly logBytes: number
  /** The network file system that it is on; null for none, or where that can't be told. */
  readonly network: string | null
  /** Whether this user can write the file and its folder. */
  readonly writable: boolean
  /** False: the database of another program. */
  readonly isStore: boolean
  /** Of its tables; 0 for an empty file. */
  readonly version: number
  /** The version that this program reads and writes. */
  readonly known: number
  /** What SQLite's own check has found, at most twenty sentences, none where it is sound; null: it was not asked. */
  readonly faults: ReadonlyArray<string> | null
}

export interface InspectionOptions {
  /** A larger file's content is not looked at, in bytes. Default: any file's is. */
  readonly checkUpTo?: number
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)

const networkOf = (filename: string): string | null =>
  process.platform === "linux" ? (networkFileSystem(statfsSync(dirname(filename)).type) ?? null) : null

const numberIn = (row: Readonly<Record<string, unknown>> | undefined, name: string): number => {
  const value = row?.[name]
  return typeof value === "number" ? value : 0
}

const textsOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): ReadonlyArray<string> =>
  rows.flatMap((row) => Object.values(row)).map(String)

const look = (filename: string, checkUpTo: number): Inspection => {
  accessSync(filename, constants.R_OK)
  const writable = isWritable(filename)
  const bytes = sizeOf(filename)
  const logBytes = sizeOf(`${filename}-wal`)
  const network = networkOf(filename)
  const db = new DatabaseSync(writable ? filename : nameForReading(filename), {
    readOnly: true,
    timeout: 5_000
  })
  try {
    const version = numberIn(db.prepare(`PRAGMA user_version`).get(), "user_version")
    const application = numberIn(db.prepare(`PRAGMA application_id`).get(), "application_id")
    const tables = numberIn(db.prepare(`SELECT count(*) AS tables FROM sqlite_schema`).get(), "tables")
    const checked = bytes + logBytes > checkUpTo ? null : textsOf(db.prepare(`PRAGMA quick_check(20)`).all())
    return {
      bytes,
      logBytes,
      network,
      writable,
      isStore: tables === 0 || application === applicationId,
      version,
      known: migrations.length,
      faults: checked === null ? null : checked.filter((text) => text !== "ok")
    }
  } finally {
    db.close()
  }
}

/** Fails where the file is none of SQLite's, or can't be read. It must be there. */
export const inspect = (
  filename: string,
  options: InspectionOptions = {}
): Effect.Effect<Inspection, StoreBroken> =>
  Effect.try({
    try: () => look(filename, options.checkUpTo ?? Number.POSITIVE_INFINITY),
    catch: (cause) =>
      new StoreBroken({
        operation: "inspect",
        detail: `${filename}: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })
  })
