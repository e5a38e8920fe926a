/**
 * Colour by meaning. None where NO_COLOR says so or where standard output is no terminal.
 */
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"

/** How each kind of text is painted; identity without colour. */
export interface Style {
  readonly title: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly busy: (text: string) => string
  readonly waiting: (text: string) => string
  readonly bad: (text: string) => string
}

const sgr =
  (code: number) =>
  (text: string): string =>
    text === "" ? text : `\u001B[${code}m${text}\u001B[0m`

const colored: Style = {
  title: sgr(1),
  faint: sgr(2),
  good: sgr(32),
  busy: sgr(36),
  waiting: sgr(33),
  bad: sgr(31)
}

const same = (text: string): string => text

export const plain: Style = { title: same, faint: same, good: same, busy: same, waiting: same, bad: same }

/** The style for standard output. */
export const style: Effect.Effect<Style> = Effect.map(
  TerminalCapabilities.TerminalCapabilities,
  ({ canColor }) => (canColor ? colored : plain)
)

const painters: Readonly<Record<string, keyof Style>> = {
  PENDING: "waiting",
  VALIDATING: "busy",
  PROCESSING: "busy",
  RETRY_SCHEDULED: "waiting",
  COMPLETED: "good",
  FAILED: "bad",
  DEAD_LETTERED: "bad",
  CANCELLED: "faint"
}

/** A job's state in its colour. `text` may carry padding. */
export const paintState = (given: Style, state: string, text: string = state): string =>
  given[painters[state] ?? "title"](text)
