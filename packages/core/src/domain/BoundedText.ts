/**
 * Text that has passed a limit. What agents hand back is hostile: huge, cyclic, not JSON, not text; nothing here throws.
 */
import { Result } from "effect"

/** Ends a text that was cut. */
export const cutMark = "…[cut]"

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** How many code units of `text` fit into `bytes` of UTF-8, never splitting a character; looks at no more than that. */
const fitting = (text: string, bytes: number): number => {
  let size = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    const pair = isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))
    size += pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
    if (size > bytes) return index
    if (pair) index++
  }
  return text.length
}

/** Whether `text` takes at most `bytes` in UTF-8; a lone surrogate counts as the three bytes that stand in for it. */
export const fits = (text: string, bytes: number): boolean =>
  text.length * 3 <= bytes || (text.length <= bytes && fitting(text, bytes) === text.length)

/** `text` in at most `bytes` of UTF-8: cut between characters and marked, with lone surrogates replaced. */
export const truncate = (text: string, bytes: number): string => {
  if (fits(text, bytes)) return text.toWellFormed()
  const room = bytes - 8
  return room < 0
    ? text.slice(0, fitting(text, bytes)).toWellFormed()
    : text.slice(0, fitting(text, room)).toWellFormed() + cutMark
}

/** Why a value can't be kept as JSON. */
export interface NotEncodable {
  readonly reason: "too_large" | "not_json"
  readonly detail: string
}

/** Thrown and caught here only, to leave JSON.stringify early. */
const tooLarge = Symbol("too large")

/** Leaves early: a value that is shared a million times must end at the limit, not at the heap's. */
const stringify = (value: unknown, limitBytes: number): string | undefined => {
  let left = limitBytes
  return JSON.stringify(value, function (this: unknown, key, part: unknown) {
    if (part === undefined || typeof part === "function" || typeof part === "symbol") return part
    // what it takes at least, in bytes: the name of a member, and the text or one digit
    left -= (Array.isArray(this) ? 0 : key.length) + (typeof part === "string" ? part.length + 2 : 1)
    if (left < 0) throw tooLarge
    return part
  })
}

const describe = (error: unknown): string => {
  try {
    return truncate(error instanceof Error ? error.message : String(error), 256)
  } catch {
    return "it threw something that can't be read"
  }
}

/** `value` as JSON text of at most `limitBytes`. Nothing at all (undefined) is null. Never throws. */
export const encodeJson = (value: unknown, limitBytes: number): Result.Result<string, NotEncodable> => {
  const refusal = { reason: "too_large", detail: `it takes more than ${limitBytes} bytes as JSON` } as const
  try {
    const text = value === undefined ? "null" : stringify(value, limitBytes)
    if (text === undefined)
      return Result.fail({ reason: "not_json", detail: `a ${typeof value} is not JSON` })
    return fits(text, limitBytes) ? Result.succeed(text) : Result.fail(refusal)
  } catch (error) {
    return Result.fail(error === tooLarge ? refusal : { reason: "not_json", detail: describe(error) })
  }
}
