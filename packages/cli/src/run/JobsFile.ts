/**
 * The jobs that a run is given, as JSON lines from a file or from standard input: read as a stream, so that no line can fill the memory, and
 * whole before anything is submitted.
 */
import { Effect, Stream } from "effect"
import { type BadLine, badLine, type JobLine, lineLimitBytes, parse } from "./JobLine.ts"

export interface JobsFile {
  /** For people: the path as it was given, or "standard input". */
  readonly name: string
  readonly jobs: ReadonlyArray<JobLine>
  /** The first of the bad lines, at most `reportedLines`. */
  readonly bad: ReadonlyArray<BadLine>
  /** How many lines are bad in all. */
  readonly badCount: number
}

/** Bad lines that are kept to be reported. */
export const reportedLines = 50

const lineFeed = 0x0a

/** Takes bytes as they come and gives out what each whole line says. */
export class LineReader {
  readonly #workflowType: string | null
  #pieces: Array<Uint8Array> = []
  #length = 0
  #line = 0

  constructor(workflowType: string | null) {
    this.#workflowType = workflowType
  }

  #keep(piece: Uint8Array): void {
    this.#length += piece.length
    // what is longer than a line may be is not kept, only counted
    if (this.#length <= lineLimitBytes) this.#pieces.push(piece)
    else this.#pieces = []
  }

  #take(): JobLine | BadLine | null {
    this.#line++
    const length = this.#length
    const bytes = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces)
    this.#pieces = []
    this.#length = 0
    if (length > lineLimitBytes) {
      return badLine(this.#line, `it is ${length} bytes long, more than ${lineLimitBytes}`)
    }
    return parse(bytes ?? new Uint8Array(0), this.#line, this.#workflowType)
  }

  /** What the lines say that end in `chunk`; blank ones say nothing. */
  push(chunk: Uint8Array): ReadonlyArray<JobLine | BadLine> {
    const lines: Array<JobLine | BadLine> = []
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#keep(chunk.subarray(start, end))
      const line = this.#take()
      if (line !== null) lines.push(line)
      start = end + 1
    }
    // copied: whoever reads a file may use its buffer again
    if (start < chunk.length) this.#keep(chunk.slice(start))
    return lines
  }

  /** What the last line says, which nothing ends but the file. */
  end(): JobLine | BadLine | null {
    return this.#length === 0 ? null : this.#take()
  }
}

/** Reads all lines. `workflowType` is the workflow of lines that name none, null where they must. */
export const read = Effect.fnUntraced(function* <E, R>(
  name: string,
  input: Stream.Stream<Uint8Array, E, R>,
  workflowType: string | null
) {
  const reader = new LineReader(workflowType)
  const jobs: Array<JobLine> = []
  const firstBad: Array<BadLine> = []
  let badCount = 0
  const add = (line: JobLine | BadLine): void => {
    if (line._tag === "Job") jobs.push(line)
    else if (++badCount <= reportedLines) firstBad.push(line)
  }
  yield* Stream.runForEach(input, (chunk) => Effect.sync(() => reader.push(chunk).forEach(add)))
  const last = reader.end()
  if (last !== null) add(last)
  const file: JobsFile = { name, jobs, bad: firstBad, badCount }
  return file
})

/** The report on bad lines: one row each, with the file's name, the line and the reason. */
export const badLinesReport = ({ bad, badCount, name }: JobsFile): ReadonlyArray<string> => {
  const rows = bad.map(({ line, reason }) => `${name}:${line}: ${reason}`)
  return badCount > bad.length ? [...rows, `${name}: … and ${badCount - bad.length} more`] : rows
}
