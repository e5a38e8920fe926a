/**
 * How a command answers: JSON with `--json`, else lines for people. Standard output is data; talk goes to standard error.
 */
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { JsonFlag } from "../GlobalFlags.ts"
import { type Style, style } from "./Style.ts"

/** What lines for people are laid out by. */
export interface Page {
  /** Columns: those of the terminal, 80 where there is none. */
  readonly width: number
  readonly style: Style
  /** Epoch ms, for ages. */
  readonly now: number
}

/** As standard output is now. */
export const page: Effect.Effect<Page, never, Stdio.Stdio | Terminal.Terminal> = Effect.gen(function* () {
  const { stdoutIsTerminal } = yield* Stdio.Stdio
  const { columns } = yield* Terminal.Terminal
  const terminal = (yield* stdoutIsTerminal) ? yield* columns : 0
  return {
    width: terminal > 0 ? terminal : 80,
    style: yield* style,
    now: yield* Clock.currentTimeMillis
  }
})

const say = (lines: ReadonlyArray<string>): Effect.Effect<void> =>
  lines.length === 0 ? Effect.void : Console.log(lines.join("\n"))

/** One document, or lines for people. */
export const answer = Effect.fnUntraced(function* (
  document: unknown,
  lines: (page: Page) => ReadonlyArray<string>
) {
  yield* say((yield* JsonFlag) ? [JSON.stringify(document)] : lines(yield* page))
})

/** One document a line, or lines for people. */
export const answerAll = Effect.fnUntraced(function* (
  documents: ReadonlyArray<unknown>,
  lines: (page: Page) => ReadonlyArray<string>
) {
  yield* say((yield* JsonFlag) ? documents.map((document) => JSON.stringify(document)) : lines(yield* page))
})

/** Something to know that is no data; left out for machines. */
export const talk = Effect.fnUntraced(function* (text: string) {
  if (!(yield* JsonFlag)) yield* Console.error(text)
})
