/**
 * Lines on their way to their files: taken at once, written together a moment later, bounded meanwhile. What doesn't fit, or can't be written,
 * is counted and lost.
 */
import { mkdir, open, rename } from "node:fs/promises"
import { BoundedText, defaults, limits } from "@muster/core"
import type { LoggedLine } from "./AgentLogs.ts"
import { before, fileMode, fileOf, folderMode, isPlain, partBytes } from "./LogFiles.ts"
import * as LogLineText from "./LogLineText.ts"

/** A line as it will be written. */
interface Written {
  readonly text: string
  readonly bytes: number
  readonly line: LoggedLine
}

/** The first lines since the last write, and the newest: of a flood its beginning and its end tell most. */
interface Waiting {
  readonly first: Array<string>
  firstBytes: number
  /** Those from `from` on; the ones before are left out. */
  newest: Array<Written>
  from: number
  newestBytes: number
  /** Lines that there was no room for, between the first and the newest. */
  lost: number
  /** The last of them, by which the loss is told. */
  lastLost: LoggedLine | null
}

const nothing = (): Waiting => ({
  first: [],
  firstBytes: 0,
  newest: [],
  from: 0,
  newestBytes: 0,
  lost: 0,
  lastLost: null
})

/** What one flush has come to. `failure`: why lines could not be written; null: all were. */
export interface Flushed {
  readonly failure: string | null
  readonly lost: number
}

/** More files than these are not remembered. */
const mostBegun = 10_000

/** A mark that ends a text which was cut, and the room that it is cut to. */
const bounded = (line: LoggedLine): LoggedLine =>
  BoundedText.fits(line.text, limits.lineBytes)
    ? line
    : { ...line, text: BoundedText.truncate(line.text, limits.lineBytes), cut: true }

/** What is left out is told by a line of its own, which has the number of the last that is missing. */
const lossOf = ({ lastLost, lost }: Waiting): string =>
  lastLost === null
    ? ""
    : LogLineText.encode({
        ...lastLost,
        source: "log",
        text: `… ${lost} ${lost === 1 ? "line" : "lines"} left out: they came faster than they could be written`,
        cut: false
      })

const textOf = (waiting: Waiting): string =>
  [...waiting.first, lossOf(waiting), ...waiting.newest.slice(waiting.from).map(({ text }) => text)].join("")

const linesOf = ({ first, from, newest }: Waiting): number => first.length + newest.length - from

export class LogWriter {
  readonly #folder: string
  #waiting = new Map<string, Waiting>()
  #bytes = 0
  /** One flush at a time. */
  #flushing: Promise<unknown> = Promise.resolve()
  /** Files that end in a whole line of ours: another one may end in what a death or a full disk has torn. */
  readonly #begun = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Whether something waits. */
  get isDirty(): boolean {
    return this.#waiting.size > 0
  }

  /** Never waits, never throws. */
  take(jobId: string, given: LoggedLine): void {
    if (!isPlain(jobId)) return
    const line = bounded(given)
    const text = LogLineText.encode(line)
    const one: Written = { text, bytes: Buffer.byteLength(text), line }
    const waiting = this.#waiting.get(jobId) ?? nothing()
    this.#waiting.set(jobId, waiting)
    const { agentBytes, allBytes } = defaults.logBuffer
    const isFirst = waiting.newest.length === 0 && waiting.lost === 0
    if (isFirst && waiting.firstBytes < agentBytes / 2 && this.#bytes < allBytes) {
      waiting.first.push(text)
      waiting.firstBytes += one.bytes
      this.#bytes += one.bytes
      return
    }
    waiting.newest.push(one)
    waiting.newestBytes += one.bytes
    this.#bytes += one.bytes
    while (waiting.newestBytes > agentBytes / 2 || (this.#bytes > allBytes && waiting.newestBytes > 0))
      this.#leaveOut(waiting)
  }

  /** The oldest of its newest lines. */
  #leaveOut(waiting: Waiting): void {
    const oldest = waiting.newest[waiting.from]
    if (oldest === undefined) return
    waiting.from++
    waiting.newestBytes -= oldest.bytes
    this.#bytes -= oldest.bytes
    waiting.lost++
    waiting.lastLost = oldest.line
    // Moving the rest up each time would cost as much as there is.
    if (waiting.from < 1_000) return
    waiting.newest = waiting.newest.slice(waiting.from)
    waiting.from = 0
  }

  /** Writes what waits. Never fails. */
  flush(): Promise<Flushed> {
    const next = this.#flushing.then(() => this.#flush())
    this.#flushing = next
    return next
  }

  async #flush(): Promise<Flushed> {
    const taken = this.#waiting
    this.#waiting = new Map()
    this.#bytes = 0
    let failure: string | null = null
    let lost = 0
    for (const [jobId, waiting] of taken) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other: agents' work comes first
        await this.#append(fileOf(this.#folder, jobId), textOf(waiting))
        lost += waiting.lost
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error)
        lost += linesOf(waiting) + waiting.lost
      }
    }
    return { failure, lost }
  }

  async #append(path: string, text: string): Promise<void> {
    const isFresh = !this.#begun.has(path)
    try {
      // Also when somebody has removed the folder since.
      if (isFresh) await mkdir(this.#folder, { recursive: true, mode: folderMode })
      const size = await this.#appendTo(path, text, isFresh)
      if (this.#begun.size >= mostBegun) this.#begun.clear()
      this.#begun.add(path)
      if (size > partBytes) await rename(path, before(path))
    } catch (error) {
      this.#begun.delete(path)
      throw error
    }
  }

  /** Answers the file's size afterwards. */
  async #appendTo(path: string, text: string, mayBeTorn: boolean): Promise<number> {
    await using file = await open(path, "a", fileMode)
    const { size } = await file.stat()
    await file.appendFile(mayBeTorn && size > 0 ? `\n${text}` : text)
    return size + Buffer.byteLength(text)
  }
}
