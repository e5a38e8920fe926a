/**
 * What is wrong with a configuration, as file, place, what was expected there and what was found.
 */
import { ConfigInvalid } from "@muster/core"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { fit, oneLine } from "../output/Text.ts"

export interface Problem {
  /** As in `workflows.review.slots`; empty for the whole file. */
  readonly path: string
  /** One sentence without its stop. */
  readonly detail: string
}

type Path = ReadonlyArray<PropertyKey>

/** `workflows.review.gates[0]`; a key that is no word is quoted. */
export const pathText = (path: Path): string =>
  path
    .map((key) => {
      if (typeof key === "number") return `[${key}]`
      return /^[\w-]+$/.test(String(key)) ? `.${String(key)}` : `[${JSON.stringify(String(key))}]`
    })
    .join("")
    .replace(/^\./, "")

const shownColumns = 80

/** A value as somebody wrote it, short. */
export const shown = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (typeof value === "function") return "a function"
  // JSON has no word for those that are no number, and for those without end
  if (typeof value === "number") return String(value)
  if (typeof value === "bigint" || typeof value === "symbol") return String(value)
  try {
    return fit(oneLine(JSON.stringify(value)), shownColumns)
  } catch {
    return "an object that is not JSON"
  }
}

/** What stands at a path of a value. */
const at = (value: unknown, path: Path): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return value
  if (typeof value !== "object" || value === null) return undefined
  // any object has members, and one that isn't there is undefined
  const members = value as Readonly<Record<PropertyKey, unknown>>
  return at(members[key], rest)
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const sentence = (message: string, found: unknown): string => {
  if (message === "Expected no excess property") return "is no setting"
  const expected = message.replace(/^Expected /, "").replace(/^(object|array)$/, "an $1")
  return message === "Missing key" ? "is missing" : `expected ${expected}, got ${shown(found)}`
}

/** How many letters have to be changed to make one word of the other (Levenshtein). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        (next[j - 1] ?? 0) + 1,
        (row[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)
      )
    row = next
  }
  return row[b.length] ?? 0
}

/** The key that was perhaps meant. */
const meant = (key: string, known: ReadonlyArray<string>): string => {
  const [best] = known
    .map((name) => ({ name, off: distance(key.toLowerCase(), name.toLowerCase()) }))
    .filter(({ off }) => off <= Math.max(1, Math.floor(key.length / 3)))
    .toSorted((a, b) => a.off - b.off)
  return best === undefined ? "" : `; did you mean ${best.name}?`
}

/** All problems of a value that stands at `path`, or the value. */
export const check = <A>(
  schema: Schema.Codec<A, unknown> & { readonly fields?: object },
  value: unknown,
  path: Path
): Result.Result<A, ReadonlyArray<Problem>> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(value),
    ({ issue }) =>
      format(issue).issues.map((one) => {
        const keys = (one.path ?? []).map((key) => (typeof key === "object" ? key.key : key))
        const said = sentence(one.message, at(value, keys))
        const known = said === "is no setting" && keys.length === 1 ? Object.keys(schema.fields ?? {}) : []
        return { path: pathText([...path, ...keys]), detail: said + meant(String(keys[0] ?? ""), known) }
      })
  )

/** `workflows.review.slots: expected …`, with the file before it where it is to be said. */
export const problemText = (problem: Problem): string =>
  problem.path === "" ? problem.detail : `${problem.path}: ${problem.detail.replace(/^is /, "it is ")}`

/** The error that a command ends with; the first problem and how many more there are. */
export const invalid = (file: string, problems: ReadonlyArray<Problem>): ConfigInvalid => {
  const [first] = problems
  const others = problems.length - 1
  const more = others > 0 ? ` (and ${others} more: muster config check)` : ""
  return new ConfigInvalid({
    path: first === undefined || first.path === "" ? file : `${file}: ${first.path}`,
    detail: `${(first?.detail ?? "it can't be used").replace(/^is /, "it is ")}${more}`
  })
}
