/**
 * A copy of a store while others read and write it: as of one moment, whole or not there at all.
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { StoreBroken } from "@muster/core"
import { Effect } from "effect"
import { isWritable, nameForReading } from "./Connection.ts"

const durable = (path: string): void => {
  const file = openSync(path, "r+")
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** What a failed system call says, as in `EEXIST: file already exists`. */
const words = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/**
 * Copies what is committed by now into `target`, and answers its bytes. Takes no lock that a writer could want, and holds this process up for
 * as long as it takes.
 *
 * @param existing what becomes of a file that is there already: `refuse` it is never touched; `replace` it is gone once the copy is whole
 */
export const copyStore = (filename: string, target: string, existing: "refuse" | "replace") =>
  Effect.try({
    try: () => {
      // Not two processes of one number on one machine: the copies of several don't meet.
      const partial = `${target}.${process.pid}.partial`
      rmSync(partial, { force: true })
      const name = isWritable(filename) ? filename : nameForReading(filename)
      const db = new DatabaseSync(name, { readOnly: true, timeout: 5000 })
      try {
        db.prepare(`VACUUM INTO ?`).run(partial)
        durable(partial)
        if (existing === "replace") renameSync(partial, target)
        // A link fails where the name is taken; a rename would take the place of what is there.
        else linkSync(partial, target)
        return statSync(target).size
      } finally {
        db.close()
        rmSync(partial, { force: true })
      }
    },
    catch: (cause) =>
      new StoreBroken({
        operation: "backup",
        detail: `${filename} can't be copied to ${target}: ${words(cause)}`,
        cause
      })
  })
