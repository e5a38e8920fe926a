/**
 * An error code: `CATEGORY_REST` in capitals. The tag of every error that crosses a boundary is its code
 * (design, "Errors and reactions"); agents raise domain codes of their own.
 */
import { Schema } from "effect"

/** Who is at fault, in the words of the seed's taxonomy: data, arithmetic, law, contract, the runtime, the outside. */
export const categories = ["DQ", "MATH", "LEGAL", "CONTRACT", "ORCH", "EXT"] as const
export type Category = (typeof categories)[number]

/** The longest code that is accepted, in characters. */
export const maxCodeLength = 64

export type Code = `${Category}_${string}`

const pattern = /^(DQ|MATH|LEGAL|CONTRACT|ORCH|EXT)_[A-Z0-9_]+$/

/** Whether a text is a code. */
export const isCode = (text: string): text is Code => text.length <= maxCodeLength && pattern.test(text)

export const Code = Schema.String.pipe(
  Schema.refine(isCode, {
    expected: `an error code (${categories.join("_, ")}_ and capitals, at most ${maxCodeLength} characters)`
  })
)

/** The category of a code, or null for a text that is none. */
export const category = (code: string): Category | null =>
  isCode(code) ? (categories.find((candidate) => code.startsWith(`${candidate}_`)) ?? null) : null
