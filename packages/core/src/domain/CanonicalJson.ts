/**
 * JSON in the one form of RFC 8785 (JCS): members in the order of their names' UTF-16 code units, numbers and strings as
 * ECMAScript writes them, no white space. Equal data gives equal text, so that it may be hashed.
 */
import { Result } from "effect"

/** Why a value has no canonical form. */
export interface NotCanonical {
  readonly reason: "not_finite" | "lone_surrogate" | "not_json" | "too_deep"
  /** As in `["hosts"][0]["name"]`; empty for the whole value. */
  readonly path: string
  readonly detail: string
}

/** Deeper nesting is refused; a value that contains itself ends here too. */
export const maxDepth = 1_000

/** Thrown and caught in this file only: it leaves the recursion. */
class Refusal {
  readonly reason: NotCanonical["reason"]
  readonly detail: string
  constructor(reason: NotCanonical["reason"], detail: string) {
    this.reason = reason
    this.detail = detail
  }
}

const string = (text: string): string => {
  if (!text.isWellFormed()) throw new Refusal("lone_surrogate", "half of a surrogate pair is not text")
  // ECMAScript's escapes are those of RFC 8785, section 3.2.2.2
  return JSON.stringify(text)
}

const number = (value: number): string => {
  if (!Number.isFinite(value)) throw new Refusal("not_finite", `${value} is not a JSON number`)
  // ECMAScript's shortest form is that of RFC 8785, section 3.2.2.3; it writes -0 as 0
  return String(value)
}

const array = (items: ReadonlyArray<unknown>, path: Array<string | number>): string => {
  let text = "["
  for (let index = 0; index < items.length; index++) {
    path.push(index)
    text += (index === 0 ? "" : ",") + write(items[index], path)
    path.pop()
  }
  return `${text}]`
}

const object = (value: object, path: Array<string | number>): string => {
  if (Object.prototype.toString.call(value) !== "[object Object]") {
    throw new Refusal("not_json", "only plain objects and arrays are JSON")
  }
  let text = "{"
  // without a comparator, it sorts by UTF-16 code units: RFC 8785, section 3.2.3
  for (const key of Object.keys(value).toSorted()) {
    const member: unknown = Reflect.get(value, key)
    // as JSON.stringify does, so that an absent and an undefined member are the same operation
    if (member === undefined) continue
    path.push(key)
    text += `${text === "{" ? "" : ","}${string(key)}:${write(member, path)}`
    path.pop()
  }
  return `${text}}`
}

/** What JSON sees of a value: `toJSON` is asked once, as JSON.stringify does. */
const seen = (value: unknown, path: ReadonlyArray<string | number>): unknown => {
  if (typeof value !== "object" || value === null) return value
  const toJson: unknown = Reflect.get(value, "toJSON")
  return typeof toJson === "function" ? Reflect.apply(toJson, value, [String(path.at(-1) ?? "")]) : value
}

const write = (given: unknown, path: Array<string | number>): string => {
  if (path.length > maxDepth) {
    throw new Refusal("too_deep", `it is nested deeper than ${maxDepth} levels, or it contains itself`)
  }
  const value = seen(given, path)
  switch (typeof value) {
    case "string":
      return string(value)
    case "number":
      return number(value)
    case "boolean":
      return String(value)
    case "object":
      return value === null ? "null" : Array.isArray(value) ? array(value, path) : object(value, path)
    default:
      throw new Refusal("not_json", `a ${typeof value} is not JSON`)
  }
}

/** The canonical text of a JSON value. Never throws. Bound the value's size first (BoundedText.encodeJson). */
export const canonicalJson = (value: unknown): Result.Result<string, NotCanonical> => {
  const path: Array<string | number> = []
  try {
    return Result.succeed(write(value, path))
  } catch (error) {
    const place = path
      .slice(0, 20)
      .map((key) => `[${JSON.stringify(key)}]`)
      .join("")
    return Result.fail(
      error instanceof Refusal
        ? { reason: error.reason, path: place, detail: error.detail }
        : { reason: "not_json", path: place, detail: "reading it threw" }
    )
  }
}
