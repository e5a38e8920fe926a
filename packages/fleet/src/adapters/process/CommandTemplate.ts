/**
 * Fills the placeholders of a command from a job's payload: `{path}` and `{payload.path}`, with dots and `[0]` (R33). A template is an argv,
 * and each word stays one word: no shell ever reads the text. Inside `sh -c` text is code all the same; use stdin or the environment there.
 */
import { Result } from "effect"

/** A `{payload.x}` that the payload can't fill. */
export interface Unfilled {
  /** Where in the payload, as in `["hosts"][0]["name"]`; empty for the whole. */
  readonly path: string
  readonly detail: string
}

type Found = { readonly value: unknown } | null

/** `{{`, or a path in braces. What looks like neither is text: `${HOME}` without such a key, `{print $1}`, `{}`. */
const token = /\{\{|\{([\w$-]+(?:\.[\w$-]+|\[\d+\])*)\}/g

const keysOf = (path: string): ReadonlyArray<string> => path.match(/[\w$-]+/g) ?? []

const member = (value: unknown, key: string): Found => {
  if (Array.isArray(value)) {
    const items: ReadonlyArray<unknown> = value
    return /^\d+$/.test(key) && Number(key) < items.length ? { value: items[Number(key)] } : null
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null
  // An object that has the key as its own; JSON.parse made it.
  return { value: (value as Readonly<Record<string, unknown>>)[key] }
}

const lookUp = (payload: unknown, keys: ReadonlyArray<string>): Found => {
  let found: Found = { value: payload }
  for (const key of keys) {
    if (found === null) return null
    found = member(found.value, key)
  }
  return found
}

const written = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const pathText = (keys: ReadonlyArray<string>): string =>
  keys.map((key) => (/^\d+$/.test(key) ? `[${key}]` : `[${JSON.stringify(key)}]`)).join("")

const fillWord = (word: string, payload: unknown): Result.Result<string, Unfilled> => {
  let problem: Unfilled | null = null
  const fail = (keys: ReadonlyArray<string>, detail: string) => {
    problem ??= { path: pathText(keys), detail }
    return ""
  }
  const filled = word.replace(token, (match, path: string | undefined) => {
    if (path === undefined) return "{"
    const [first, ...rest] = keysOf(path)
    const strict = first === "payload"
    const keys = strict ? rest : keysOf(path)
    const found = lookUp(payload, keys)
    if (found === null) return strict ? fail(keys, `the command asks for ${match}`) : match
    const text = written(found.value)
    return text.includes("\0") ? fail(keys, "holds a NUL character, which no argument can") : text
  })
  return problem === null ? Result.succeed(filled) : Result.fail(problem)
}

/** Whether filling can change the template at all; if not, nobody needs to parse the payload. */
export const hasPlaceholders = (template: ReadonlyArray<string>): boolean =>
  template.some((word) => word.includes("{"))

/** The argv of one job: strings as they are, other values as compact JSON. `payload` is the parsed JSON document. */
export const fill = (
  template: ReadonlyArray<string>,
  payload: unknown
): Result.Result<ReadonlyArray<string>, Unfilled> => {
  const words: Array<string> = []
  for (const word of template) {
    const filled = fillWord(word, payload)
    if (Result.isFailure(filled)) return Result.fail(filled.failure)
    words.push(filled.success)
  }
  return Result.succeed(words)
}
