// The medium: one JSON file. A new text is written beside the old one and then takes over its name, so that whoever reads finds the one or
// the other, never half of one. Its head is a number of its own, by which everybody else's handle knows that it is new.
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { dirname } from "node:path"
import { StoreBroken } from "@muster/core"
import type { SnapshotStore } from "@muster/fleet"
import { Effect } from "effect"
import { withLock } from "./FileLock.ts"

const head = (save: string): string => `{"save":"${save}","store":`
const headLength = head(randomUUID()).length

/** What the file system throws is the medium's fault. */
const attempt = <A>(operation: string, act: () => A) =>
  Effect.try({
    try: act,
    catch: (cause) => new StoreBroken({ operation, detail: String(cause), cause })
  })

/** Answers when what was written is on the disk, and not only on its way there. */
const writeDurably = (path: string, flags: string, text: string): void => {
  const file = fs.openSync(path, flags)
  try {
    if (text !== "") fs.writeFileSync(file, text)
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
}

const readHead = (path: string): string => {
  if (!fs.existsSync(path)) return ""
  const file = fs.openSync(path, "r")
  try {
    const bytes = Buffer.alloc(headLength)
    fs.readSync(file, bytes, 0, headLength, 0)
    return bytes.toString()
  } finally {
    fs.closeSync(file)
  }
}

export const jsonFile = (path: string): SnapshotStore.Medium => ({
  name: path,
  load: attempt("load", () =>
    fs.existsSync(path) ? fs.readFileSync(path, "utf8").slice(headLength, -1) : null
  ),
  save: (text) =>
    attempt("save", () => {
      writeDurably(`${path}.new`, "w", `${head(randomUUID())}${text}}`)
      fs.renameSync(`${path}.new`, path)
      // the name is an entry of its folder, and has to be on the disk as well
      writeDurably(dirname(path), "r", "")
    }),
  stamp: attempt("stamp", () => readHead(path)),
  alone: withLock(`${path}.lock`)
})
