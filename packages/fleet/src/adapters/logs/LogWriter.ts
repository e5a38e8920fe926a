/**
 * Lines on their way to their files: taken at once, written together a moment later, bounded meanwhile. What doesn't fit, or can't be written,
 * is counted and lost.
 */
import { mkdir, open, rename } from "node:fs/promises"
import { BoundedText, defaults, limits } from "@muster/core"
import type { LoggedLine } from "./AgentLogs.ts"
import { before, fileMode, fileOf, folderMode, isPlain, partBytes } from "./LogFiles.ts"
import * as LogLineText from "./LogLineText.ts"

interface Waiting {
  readonly texts: Array<string>
  bytes: number
  /** Lines that there was no room for. */
  lost: number
  /** The last one of the agent, by which the loss is told. */
  last: LoggedLine
}

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
const lossOf = ({ last, lost }: Waiting): string =>
  lost === 0
    ? ""
    : LogLineText.encode({
        ...last,
        source: "log",
        text: `… ${lost} ${lost === 1 ? "line" : "lines"} left out: they came faster than they could be written`,
        cut: false
      })

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
    let waiting = this.#waiting.get(jobId)
    if (waiting === undefined) {
      waiting = { texts: [], bytes: 0, lost: 0, last: line }
      this.#waiting.set(jobId, waiting)
    }
    waiting.last = line
    const { agentBytes, allBytes } = defaults.logBuffer
    // Once something is left out, all is until the next write: lines stay in their order.
    const isFull = waiting.lost > 0 || waiting.bytes >= agentBytes || this.#bytes >= allBytes
    if (isFull) {
      waiting.lost++
      return
    }
    const text = LogLineText.encode(line)
    const bytes = Buffer.byteLength(text)
    waiting.texts.push(text)
    waiting.bytes += bytes
    this.#bytes += bytes
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
        await this.#append(fileOf(this.#folder, jobId), waiting.texts.join("") + lossOf(waiting))
        lost += waiting.lost
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error)
        lost += waiting.texts.length + waiting.lost
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
