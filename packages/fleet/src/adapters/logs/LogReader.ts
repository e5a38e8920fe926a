/**
 * Reads what is kept of one job's agent: the last lines, then those that come. A file that takes the place of the one before it, or that is
 * gone, is no end.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import type { LoggedLine } from "./AgentLogs.ts"
import { before, fileOf, folderOf } from "./LogFiles.ts"
import { parseAll } from "./LogLineText.ts"

/** Of a file's end so much is read first; four times as much each time that it was not enough. In bytes. */
const firstBytes = 262_144

interface Part {
  /** Whole lines, without what is being written. */
  readonly text: string
  /** The file, whatever its name has become. */
  readonly ino: number
  /** Where the text ends in it. */
  readonly end: number
  /** It begins at the file's start. */
  readonly isWhole: boolean
}

/** Bytes of a file from a place on, or its last ones; null where there is none. */
const read = (path: string, from: { readonly at: number } | { readonly last: number }): Part | null => {
  let file: number
  try {
    file = openSync(path, "r")
  } catch {
    return null
  }
  try {
    const { ino, size } = fstatSync(file)
    const start = "at" in from ? Math.min(from.at, size) : Math.max(0, size - from.last)
    const bytes = Buffer.alloc(size - start)
    const count = readSync(file, bytes, 0, bytes.length, start)
    const end = bytes.subarray(0, count).lastIndexOf(10) + 1
    // The first line of a piece may be half of one.
    const begin = "at" in from || start === 0 ? 0 : bytes.indexOf(10) + 1
    const text = bytes.subarray(Math.min(begin, end), end).toString("utf8")
    return { text, ino, end: start + end, isWhole: start === 0 }
  } catch {
    return null
  } finally {
    closeSync(file)
  }
}

export class LogReader {
  readonly #file: string
  #ino = 0
  #at = 0

  /** @param store the store's file */
  constructor(store: string, jobId: string) {
    this.#file = fileOf(folderOf(store), jobId)
  }

  /**
   * The last lines that are kept, the oldest first; `next` goes on after them.
   *
   * @param count null: all
   */
  last(count: number | null): ReadonlyArray<LoggedLine> {
    let found: ReadonlyArray<LoggedLine> = []
    for (let bytes = count === null ? Number.MAX_SAFE_INTEGER : firstBytes; ; bytes *= 4) {
      const part = read(this.#file, { last: bytes })
      this.#ino = part?.ino ?? 0
      this.#at = part?.end ?? 0
      found = parseAll(part?.text ?? "")
      if (count !== null && found.length >= count) break
      if (part !== null && !part.isWhole) continue
      const older = read(before(this.#file), { last: bytes })
      found = [...parseAll(older?.text ?? ""), ...found]
      if (older === null || older.isWhole || (count !== null && found.length >= count)) break
    }
    return count === null ? found : found.slice(Math.max(0, found.length - count))
  }

  /** The lines that have come since. */
  next(): ReadonlyArray<LoggedLine> {
    const found: Array<LoggedLine> = []
    const rest = this.#restOfBefore()
    found.push(...parseAll(rest))
    const part = read(this.#file, { at: this.#at })
    if (part === null) {
      this.#ino = 0
      this.#at = 0
      return found
    }
    // A number is given away again: a file that is shorter than what was read is another one.
    if (part.ino !== this.#ino || part.end < this.#at) {
      const fresh = read(this.#file, { at: 0 })
      this.#ino = fresh?.ino ?? 0
      this.#at = fresh?.end ?? 0
      return [...found, ...parseAll(fresh?.text ?? "")]
    }
    this.#at = part.end
    return [...found, ...parseAll(part.text)]
  }

  /** What is left of the file that was read so far, once it has become the part before. */
  #restOfBefore(): string {
    const now = read(this.#file, { at: Number.MAX_SAFE_INTEGER })
    if (this.#ino === 0 || now?.ino === this.#ino) return ""
    const part = read(before(this.#file), { at: this.#at })
    if (part === null || part.ino !== this.#ino) return ""
    this.#ino = 0
    this.#at = 0
    return part.text
  }
}
