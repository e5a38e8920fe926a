/**
 * Turns the output of one process into agent events while it comes, and keeps what its ending will need: the last result, the last
 * error, the end of each stream. Bounded whatever is written; secrets never leave it.
 */
import { BoundedText, type AgentEvent, type Emit, limits, type MessageDraft } from "@muster/core"
import * as LineProtocol from "./LineProtocol.ts"
import * as LineSplitter from "./LineSplitter.ts"
import type { MarkerLine } from "./MarkerLines.ts"
import { tooLarge } from "./MessageLines.ts"
import * as OutputTail from "./OutputTail.ts"

export interface OutputLimits {
  /** A longer line is cut and marked, in bytes. */
  readonly lineBytes: number
  /** A longer result line is refused, in bytes. */
  readonly resultBytes: number
  /** Standard output that stands in for a missing result line: its end, in bytes. */
  readonly stdoutBytes: number
  /** What an agent may log in a window; of more, a count and the last lines are kept. */
  readonly window: LineSplitter.SplitterLimits["window"]
}

export const defaultLimits: OutputLimits = {
  lineBytes: limits.lineBytes,
  resultBytes: limits.resultBytes,
  stdoutBytes: limits.stdoutBytes,
  window: { millis: 250, lines: 1_000, bytes: 262_144 }
}

/** What a process said, once it has ended. */
export interface Report {
  /** The value of the last result line; null without one. */
  readonly result: { readonly value: unknown } | null
  /** The last error line. */
  readonly error: (LineProtocol.Message & { readonly _tag: "Error" }) | null
  /** The last result line was too long to be read. */
  readonly isResultTooLarge: boolean
  readonly stdout: string
  /** The last lines of standard error, so many that a message has room for them. */
  readonly stderr: string
  /** The start of the first line that looks like a message and is no JSON, without secrets; null where there was none. */
  readonly broken: string | null
  /** What `emit` threw, which it must not; null for nothing. */
  readonly defect: { readonly error: unknown } | null
}

export interface OutputReader {
  /** Takes a chunk; answers whether the reader should let the event loop breathe before the next one. */
  readonly push: (source: "stdout" | "stderr", chunk: Uint8Array) => boolean
  /** Hands on what is left. Called again it answers the same. */
  readonly end: () => Report
}

/** More is read than is shown, so that a secret is whole when it is looked for. */
const secretSlack = 1_024
/** Work on one stream without a breath, at most. */
const breath = { bytes: 524_288, millis: 1 }
/** Between two heartbeats at least, in milliseconds. */
const beatMillis = 50
/** What a message of a reason's length has room for, beside its other words. In bytes. */
const stderrBytes = limits.reasonBytes - 384
/** Of a line that should have been a message. */
const brokenBytes = 160
const floodTail = { lines: 100, bytes: 16_384 }

/** The end of a text, from the start of a line where there is one, in at most `bytes`. */
const lastLines = (text: string, bytes: number): string => {
  const trimmed = text.trim()
  if (BoundedText.fits(trimmed, bytes)) return trimmed
  const tail = OutputTail.make(bytes)
  tail.push(Buffer.from(trimmed))
  const end = tail.text()
  const line = end.indexOf("\n")
  return line === -1 ? end : end.slice(line + 1)
}

const lastBytes = (text: string, bytes: number): string => {
  const tail = OutputTail.make(bytes)
  tail.push(Buffer.from(text))
  return tail.text()
}

export const make = (
  bounds: OutputLimits,
  redact: (text: string) => string,
  emit: Emit,
  onMarker: (line: MarkerLine) => void,
  onMessage: (draft: MessageDraft | typeof tooLarge) => void
): OutputReader => {
  let result: Report["result"] = null
  let error: Report["error"] = null
  let isResultTooLarge = false
  let broken: Report["broken"] = null
  let defect: Report["defect"] = null
  let saidSomething = false
  let beatAt = 0
  let lateProgress: AgentEvent | null = null
  let unbreathed = 0
  let timer: NodeJS.Timeout | null = null
  let report: Report | null = null

  const say = (event: AgentEvent) => {
    saidSomething = true
    if (defect !== null) return
    try {
      emit(event)
    } catch (thrown) {
      // A throw in a stream's callback would end the host.
      defect = { error: thrown }
    }
  }

  const line = (source: "stdout" | "stderr") => (text: string, cut: boolean) => {
    const clean = redact(text)
    const fits = BoundedText.fits(clean, bounds.lineBytes)
    say({
      _tag: "Line",
      source,
      text: fits ? clean : BoundedText.truncate(clean, bounds.lineBytes),
      cut: cut || !fits
    })
  }

  const omitted = (source: "stdout" | "stderr") => (bytes: number) =>
    say({ _tag: "Line", source: "log", text: `… ${bytes} bytes of ${source} left out`, cut: false })

  const short = (text: string): string => BoundedText.truncate(redact(text), limits.reasonBytes)

  const message = (text: string): boolean => {
    const said = LineProtocol.parse(text)
    if (said === null) {
      if (broken === null && LineProtocol.isBroken(text))
        broken = BoundedText.truncate(redact(text), brokenBytes)
      return false
    }
    switch (said._tag) {
      case "Result": {
        result = { value: said.value }
        isResultTooLarge = false
        break
      }
      case "Error": {
        error = { ...said, message: short(said.message) }
        break
      }
      case "Progress": {
        lateProgress = { ...said, message: short(said.message) }
        if (!splitters.stdout.isFull()) sayProgress()
        break
      }
      case "Marker": {
        saidSomething = true
        onMarker(said)
        break
      }
      case "Message": {
        saidSomething = true
        onMessage(said.draft)
        break
      }
      case "NeedsInput": {
        say({ ...said, question: short(said.question) })
        break
      }
      default:
        say(said)
    }
    return true
  }

  const sayProgress = () => {
    if (lateProgress === null) return
    say(lateProgress)
    lateProgress = null
  }

  const tooLong = (start: string) => {
    if (LineProtocol.isMessageStart(start)) onMessage(tooLarge)
    if (!LineProtocol.isResultStart(start)) return
    result = null
    isResultTooLarge = true
  }

  const splitter = (source: "stdout" | "stderr") =>
    LineSplitter.make(
      {
        lineBytes: bounds.lineBytes + secretSlack,
        // The value is what is limited; the line around it has a little more.
        messageBytes: bounds.resultBytes + secretSlack,
        window: bounds.window,
        floodTail
      },
      {
        line: line(source),
        message: source === "stdout" ? message : null,
        tooLong,
        omitted: omitted(source)
      }
    )
  const splitters = { stdout: splitter("stdout"), stderr: splitter("stderr") }
  const tails = {
    stdout: OutputTail.make(bounds.stdoutBytes + secretSlack),
    stderr: OutputTail.make(stderrBytes + secretSlack)
  }

  const settle = () => {
    timer = null
    splitters.stdout.settle()
    splitters.stderr.settle()
    sayProgress()
  }

  const isBreathDue = (bytes: number, millis: number): boolean => {
    unbreathed += bytes
    if (unbreathed < breath.bytes && millis < breath.millis) return false
    unbreathed = 0
    return true
  }

  return {
    push: (source, chunk) => {
      // The process's own time, which a clock of tests doesn't know.
      const now = performance.now()
      saidSomething = false
      tails[source].push(chunk)
      splitters[source].push(chunk, now)
      // Output without a line's end, or left out of a flood, is life all the same.
      if (!saidSomething && now - beatAt >= beatMillis) {
        beatAt = now
        say({ _tag: "Heartbeat" })
      }
      // What a flood owes is due when it has paused, too; real time, as above.
      if (splitters[source].isFull()) timer ??= setTimeout(settle, bounds.window.millis)
      return isBreathDue(chunk.length, performance.now() - now) // as above
    },
    end: () => {
      if (report !== null) return report
      if (timer !== null) clearTimeout(timer) // as above
      splitters.stdout.end()
      splitters.stderr.end()
      sayProgress()
      report = {
        result,
        error,
        isResultTooLarge,
        stdout: lastBytes(redact(tails.stdout.text()), bounds.stdoutBytes),
        broken,
        stderr: lastLines(redact(tails.stderr.text()), stderrBytes),
        defect
      }
      return report
    }
  }
}
