/**
 * The store's file: whether it is there, can be read and written, is of this program's version, and is sound.
 */
import { existsSync } from "node:fs"
import { StoreMissing } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { size } from "../output/Bytes.ts"
import { type Diagnosis, of, some } from "./Diagnosis.ts"

/** A larger file is checked with --deep only: it is read from its first byte to its last. */
const checkUpTo = 268_435_456

/** The log of a store is copied into the file by whoever writes; one that grows beyond this is held by somebody. */
const largeLog = 268_435_456

const { bad, ok, warn } = of("store")

const access = (file: string, { network, writable }: SqliteStore.Inspection): ReadonlyArray<Diagnosis> => {
  const found: Array<Diagnosis> = []
  if (network !== null)
    found.push(
      bad(
        `${file} is on a network file system (${network}), where its locks can't be trusted`,
        "move it to a local disk: every command refuses it there"
      )
    )
  if (!writable)
    found.push(
      warn(
        `${file} can't be written by this user`,
        "commands that look work; a host needs to write the file and its folder"
      )
    )
  return found
}

const versionOf = (
  file: string,
  { isStore, known, version }: SqliteStore.Inspection
): Diagnosis | undefined => {
  if (!isStore)
    return bad(
      `${file} is the database of another program`,
      "name the store with --store: this one is left alone"
    )
  if (version > known)
    return bad(
      `ORCH_STORE_VERSION: ${file} was written by a newer Muster: its tables are version ${version}, this program knows ${known}`,
      "update this program"
    )
  if (version < known)
    return warn(
      `ORCH_STORE_VERSION: ${file} has tables of version ${version}, this program writes ${known}`,
      "the next command that writes brings it up, after a copy beside it: stop hosts of the older version first"
    )
  return undefined
}

const soundness = (file: string, { bytes, faults, logBytes }: SqliteStore.Inspection): Diagnosis => {
  const large = `${file}: ${size(bytes)}`
  if (faults === null) return ok(`${large}, opened; its content was not looked at: --deep does`)
  if (faults.length > 0)
    return bad(
      `${file} is damaged: ${some(faults, 3)}`,
      "stop all hosts, keep a copy of the file with its -wal, and put the last backup in its place"
    )
  return ok(`${large}, sound${logBytes > 0 ? `, with a log of ${size(logBytes)}` : ""}`)
}

/** All that an inspection says. `usable`: the store can be opened as it is, without being changed. */
export const storeDiagnoses = (
  file: string,
  found: SqliteStore.Inspection
): { readonly usable: boolean; readonly diagnoses: ReadonlyArray<Diagnosis> } => {
  const version = versionOf(file, found)
  const log =
    found.logBytes > largeLog
      ? [
          warn(
            `${file}-wal has grown to ${size(found.logBytes)}: something reads the store for a long time`,
            "find who has it open (fuser, lsof) and end that; it shrinks with the next write"
          )
        ]
      : []
  return {
    usable:
      version === undefined && found.network === null && (found.faults === null || found.faults.length === 0),
    diagnoses: [
      ...access(file, found),
      ...(version === undefined ? [] : [version]),
      ...(found.isStore ? [soundness(file, found)] : []),
      ...log
    ]
  }
}

const unusable = (diagnosis: Diagnosis) => ({ usable: false, diagnoses: [diagnosis] })

export const checkStore = Effect.fnUntraced(function* (file: string, deep: boolean) {
  if (!existsSync(file))
    return unusable(
      warn(
        `${new StoreMissing({ name: file })._tag}: there is no store at ${file}`,
        "muster run makes one, and so does muster submit"
      )
    )
  const found = yield* Effect.result(SqliteStore.inspect(file, deep ? {} : { checkUpTo }))
  return Result.isFailure(found)
    ? unusable(bad(found.failure.detail, "look at the disk, the file and its permissions"))
    : storeDiagnoses(file, found.success)
})
