/**
 * Lines of an agent on standard output, each once and in their order, however they were heard of: from the file, or from a host.
 */
import { isoInstant } from "@muster/core"
import type { AgentLogs } from "@muster/fleet"
import * as Effect from "effect/Effect"
import { logLineJson } from "../json/LogLineJson.ts"
import { answerAll, type Page } from "../output/Answer.ts"
import type { Style } from "../output/Style.ts"
import { oneLine } from "../output/Text.ts"

type LoggedLine = AgentLogs.LoggedLine

const paints: Readonly<Record<LoggedLine["source"], keyof Style | null>> = {
  stdout: null,
  stderr: "waiting",
  log: "faint",
  progress: "busy"
}

/** `12:03:44`, in UTC as everywhere. */
const clock = (at: number): string => isoInstant(at).slice(11, 19)

const lineOf = ({ at, source, text }: LoggedLine, { style }: Page): string => {
  const paint = paints[source]
  const name = source.padEnd(8)
  return `${style.faint(clock(at))}  ${paint === null ? name : style[paint](name)}  ${oneLine(text)}`
}

/** Which line of which life. */
interface Place {
  readonly incarnation: number
  readonly number: number
}

export interface PrinterOptions {
  readonly jobId: string
  /** Null: of all lives. */
  readonly life: number | null
}

export class LogPrinter {
  readonly #options: PrinterOptions
  /** By life: the last line that was seen. What comes late of an earlier life is still to be seen. */
  readonly #seen = new Map<number, number>()
  /** The life whose lines were printed last. */
  #life = 1

  constructor(options: PrinterOptions) {
    this.#options = options
  }

  /** Whether nothing is missing between what was seen and this line, as far as the numbers tell. */
  isNext({ incarnation, number }: Place): boolean {
    const last = this.#seen.get(incarnation)
    if (last !== undefined) return number <= last + 1
    // the end of the life before it is told by nothing
    return incarnation === 1 && number === 1
  }

  /** Those that were not seen before; they are, from now on. */
  fresh(lines: ReadonlyArray<LoggedLine>): ReadonlyArray<LoggedLine> {
    return lines.filter(({ incarnation, number }) => {
      if (number <= (this.#seen.get(incarnation) ?? 0)) return false
      this.#seen.set(incarnation, number)
      return this.#options.life === null || incarnation === this.#options.life
    })
  }

  readonly #headed = (lines: ReadonlyArray<LoggedLine>, page: Page): ReadonlyArray<string> =>
    lines.flatMap((line) => {
      const printed = lineOf(line, page)
      if (line.incarnation === this.#life || this.#options.life !== null) return [printed]
      this.#life = line.incarnation
      return [page.style.title(`life ${line.incarnation}`), printed]
    })

  print(lines: ReadonlyArray<LoggedLine>) {
    return lines.length === 0
      ? Effect.void
      : answerAll(
          lines.map((line) => logLineJson(this.#options.jobId, line)),
          (page) => this.#headed(lines, page)
        )
  }

  /** Prints those that were not seen before. */
  tell(lines: ReadonlyArray<LoggedLine>) {
    return Effect.suspend(() => this.print(this.fresh(lines)))
  }
}
