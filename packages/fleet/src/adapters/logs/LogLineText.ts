/**
 * A kept line as text: one JSON object a line, with the names that `muster logs --json` prints. What an agent has said stands in it as it was,
 * escaped by JSON; whoever shows it makes it fit for a terminal.
 */
import { isoInstant } from "@muster/core"
import { Option, Schema } from "effect"
import type { LoggedLine } from "./AgentLogs.ts"

const Stored = Schema.Struct({
  at: Schema.String,
  incarnation: Schema.Int,
  number: Schema.Int,
  source: Schema.Literals(["stdout", "stderr", "log", "progress"]),
  text: Schema.String,
  cut: Schema.optionalKey(Schema.Boolean)
})

const decode = Schema.decodeUnknownOption(Stored)

/** With its line break. */
export const encode = ({ at, cut, incarnation, number, source, text }: LoggedLine): string =>
  `${JSON.stringify({ at: isoInstant(at), incarnation, number, source, text, ...(cut ? { cut } : {}) })}\n`

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Null for what is none: the rest of a write that was torn by a kill or by a full disk. */
const parse = (text: string): LoggedLine | null => {
  const found = Option.getOrNull(decode(parsed(text)))
  if (found === null) return null
  const at = Date.parse(found.at)
  return Number.isNaN(at) ? null : { ...found, at, cut: found.cut ?? false }
}

/** Those that are whole, in their order. */
export const parseAll = (text: string): ReadonlyArray<LoggedLine> =>
  text.split("\n").flatMap((line) => {
    const found = line === "" ? null : parse(line)
    return found === null ? [] : [found]
  })
