/**
 * Splits a stream of bytes into lines, with bounds for everything: a plain line is cut at its limit, and of a flood only a part is
 * handed on, then a count of what was left out and the last lines. Lines that begin with a brace may be messages: they are looked
 * at in a flood too. Knows no clock: the caller says what time it is.
 */
import * as OutputTail from "./OutputTail.ts"

export interface SplitterLimits {
  /** A longer plain line is cut, in bytes. */
  readonly lineBytes: number
  /** A longer line that begins with a brace is no message, in bytes. */
  readonly messageBytes: number
  /** What a window lets through; more is a flood, until the window ends. */
  readonly window: { readonly millis: number; readonly lines: number; readonly bytes: number }
  /** The end of a flood that is handed on after all. */
  readonly floodTail: { readonly lines: number; readonly bytes: number }
}

export interface LineSink {
  readonly line: (text: string, cut: boolean) => void
  /** A whole line that begins with a brace; answers false if it is a plain one after all. Null: this stream has no messages. */
  readonly message: ((text: string) => boolean) | null
  /** A line that begins with a brace and was too long to be kept; its start. */
  readonly tooLong: (start: string) => void
  /** Bytes of lines that were left out of a flood; its last lines follow. */
  readonly omitted: (bytes: number) => void
}

export interface LineSplitter {
  readonly push: (chunk: Uint8Array, nowMillis: number) => void
  /** Whether this window lets no more through; then `settle` is due at its end. */
  readonly isFull: () => boolean
  /** Ends the window: hands on what is owed of a flood. */
  readonly settle: () => void
  /** The stream has ended: its last line may have no line break. */
  readonly end: () => void
}

const newline = 0x0a
const brace = 0x7b
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d

const firstInk = (bytes: Buffer, from: number, to: number): number => {
  let at = from
  while (at < to && isBlank(bytes[at])) at += 1
  return at
}

/** Where the first line at or after `from` (a line's start) begins whose first ink is a brace; -1 for none. */
const messageStart = (chunk: Buffer, from: number): number => {
  let found = chunk.indexOf(brace, from)
  while (found !== -1) {
    const start = Math.max(from, chunk.lastIndexOf(newline, found) + 1)
    if (firstInk(chunk, start, found) === found) return start
    const next = chunk.indexOf(newline, found)
    found = next === -1 ? -1 : chunk.indexOf(brace, next + 1)
  }
  return -1
}

export const make = (limits: SplitterLimits, sink: LineSink): LineSplitter => {
  /** The line that has not ended yet: its kept bytes, its whole size, and whether it may be a message (null: only blanks so far). */
  let held = Buffer.alloc(0)
  let kept = 0
  let size = 0
  let mayBeMessage: boolean | null = null
  let windowEnd = 0
  let lines = 0
  let bytes = 0
  let omitted = 0
  let tail: OutputTail.OutputTail | null = null

  const isFull = (): boolean => lines >= limits.window.lines || bytes >= limits.window.bytes

  const omit = (left: Buffer) => {
    omitted += left.length
    tail ??= OutputTail.make(limits.floodTail.bytes)
    tail.push(left)
  }

  const settle = () => {
    lines = 0
    bytes = 0
    if (tail === null) return
    const rows = tail.text().split("\n")
    if (rows.at(-1) === "") rows.pop()
    if (tail.isCut()) rows.shift()
    const shown = rows.slice(-limits.floodTail.lines)
    const rest = omitted - shown.reduce((sum, row) => sum + Buffer.byteLength(row) + 1, 0)
    omitted = 0
    tail = null
    if (rest > 0) sink.omitted(rest)
    for (const row of shown) sink.line(row.replace(/\r$/, ""), false)
  }

  const plain = (line: Buffer, cut: boolean) => {
    if (isFull()) {
      omit(line)
      omit(Buffer.from("\n"))
      return
    }
    lines += 1
    bytes += line.length
    const whole = line.length <= limits.lineBytes
    const shown = whole ? line : line.subarray(0, limits.lineBytes)
    sink.line(shown.toString().replace(/\r$/, ""), cut || !whole)
  }

  const finish = (line: Buffer, cut: boolean, candidate: boolean) => {
    if (candidate && cut) sink.tooLong(line.subarray(0, 256).toString())
    if (candidate && !cut && sink.message?.(line.toString()) === true) {
      lines += 1
      bytes += line.length
    } else plain(line, cut)
  }

  const isCandidate = (line: Buffer): boolean =>
    sink.message !== null && line[firstInk(line, 0, line.length)] === brace

  const hold = (piece: Buffer) => {
    if (mayBeMessage === null && sink.message !== null) {
      const ink = firstInk(piece, 0, piece.length)
      if (ink < piece.length) mayBeMessage = piece[ink] === brace
    }
    const limit = mayBeMessage === true ? limits.messageBytes : limits.lineBytes
    const fits = Math.max(0, Math.min(piece.length, limit - kept))
    if (kept + fits > held.length) {
      const grown = Buffer.alloc(Math.min(limit, Math.max(1_024, held.length * 2, kept + fits)))
      held.copy(grown, 0, 0, kept)
      held = grown
    }
    piece.copy(held, kept, 0, fits)
    kept += fits
    size += piece.length
  }

  const finishHeld = () => {
    finish(held.subarray(0, kept), size > kept, mayBeMessage === true)
    if (held.length > limits.lineBytes) held = Buffer.alloc(0)
    kept = 0
    size = 0
    mayBeMessage = null
  }

  /** In a flood and at a line's start: leaves out what can be no message, and answers where to go on. */
  const skip = (chunk: Buffer, from: number): number => {
    const start = sink.message === null ? -1 : messageStart(chunk, from)
    const to = start === -1 ? Math.max(from, chunk.lastIndexOf(newline) + 1) : start
    if (to > from) omit(chunk.subarray(from, to))
    return to
  }

  return {
    push: (read, now) => {
      const chunk = Buffer.from(read.buffer, read.byteOffset, read.byteLength)
      if (now >= windowEnd) {
        settle()
        windowEnd = now + limits.window.millis
      }
      let at = 0
      while (at < chunk.length) {
        if (size === 0 && isFull()) at = skip(chunk, at)
        const end = chunk.indexOf(newline, at)
        if (end === -1) {
          hold(chunk.subarray(at))
          return
        }
        const piece = chunk.subarray(at, end)
        if (size > 0) {
          hold(piece)
          finishHeld()
        } else finish(piece, false, isCandidate(piece))
        at = end + 1
      }
    },
    isFull,
    settle,
    end: () => {
      if (size > 0) finishHeld()
      settle()
    }
  }
}
