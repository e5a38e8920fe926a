/**
 * Text in the cells of a terminal: whatever an agent prints becomes harmless, of one line, and of a width that all terminals agree on. Lines
 * are spans with a meaning; only the binding knows colours.
 */
import { stripVTControlCharacters } from "node:util"
import { width } from "../output/Text.ts"

/** What a span means; the binding gives each its look. */
export type Tone = "plain" | "title" | "faint" | "good" | "busy" | "waiting" | "bad" | "chosen"

export interface Span {
  readonly text: string
  readonly tone: Tone
}

export type Line = ReadonlyArray<Span>

export const span = (text: string, tone: Tone = "plain"): Span => ({ text, tone })

const printableAscii = /^[\x20-\x7E]*$/
/** Code units of a text that are looked at: more is never shown, and a text may be huge. */
const longest = 4_096
/** A base with more marks than this is no writing. */
const mostMarks = 2
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Me}\p{Default_Ignorable_Code_Point}]/u
const mark = /\p{M}/u
const regional = (point: number): boolean => point >= 0x1f1e6 && point <= 0x1f1ff

/** One grapheme in a form that terminals don't disagree about: no joined emoji, no variants, no flags, few marks. */
const simple = (grapheme: string): string => {
  let text = ""
  let marks = 0
  for (const character of grapheme) {
    const point = character.codePointAt(0) ?? 0
    if (regional(point)) text += String.fromCharCode(point - 0x1f1e6 + 65)
    else if (invisible.test(character)) continue
    else if (mark.test(character)) {
      // a mark without a base would sit on its neighbour
      if (text !== "" && marks++ < mostMarks) text += character
    } else if (text === "") text += character
  }
  return text
}

/** On one line, harmless, and bounded; escape sequences are gone, what can't be seen is left out. */
export const harmless = (text: string): string => {
  const short = text.length > longest ? text.slice(0, longest) : text
  if (printableAscii.test(short)) return short
  const flat = stripVTControlCharacters(short.toWellFormed()).replaceAll(/(?:(?! )[\s\u0085])+/gu, " ")
  if (printableAscii.test(flat)) return flat
  let shown = ""
  for (const { segment } of segmenter.segment(flat)) shown += simple(segment)
  return shown
}

/** The harmless text cut after at most `cells`, and how many it takes. */
const head = (text: string, cells: number): readonly [text: string, cells: number] => {
  if (printableAscii.test(text)) {
    const cut = text.slice(0, Math.max(0, cells))
    return [cut, cut.length]
  }
  let cut = ""
  let taken = 0
  for (const { segment } of segmenter.segment(text)) {
    const size = width(segment)
    if (taken + size > cells) break
    cut += segment
    taken += size
  }
  return [cut, taken]
}

/** `text`, made harmless, in at most `cells`; its cut is marked by an ellipsis. */
export const fitted = (text: string, cells: number): string => {
  if (cells <= 0) return ""
  const shown = harmless(text)
  if (width(shown) <= cells) return shown
  return `${head(shown, cells - 1)[0]}…`
}

/** `text`, made harmless, in exactly `cells`. */
export const cell = (text: string, cells: number, align: "left" | "right" = "left"): string => {
  const shown = fitted(text, cells)
  const space = " ".repeat(Math.max(0, cells - width(shown)))
  return align === "right" ? space + shown : shown + space
}

/** Cells that a line takes; its spans are harmless by then. */
export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + width(text), 0)

/** The line in at most `cells`, every span made harmless. */
export const clipped = (line: Line, cells: number): Line => {
  const shown: Array<Span> = []
  let room = cells
  for (const { text, tone } of line) {
    if (room <= 0) break
    const short = fitted(text, room)
    if (short === "") continue
    room -= width(short)
    shown.push({ text: short, tone })
  }
  return shown
}

/** The line in exactly `cells`. */
export const padded = (line: Line, cells: number): Line => {
  const short = clipped(line, cells)
  const rest = cells - lineWidth(short)
  return rest > 0 ? [...short, span(" ".repeat(rest))] : short
}

/** As many of the parts as fit side by side, in order; a part that doesn't fit is left out, and the next may. */
export const abreast = (parts: ReadonlyArray<Line>, cells: number, gap = "  "): Line => {
  const line: Array<Span> = []
  let used = 0
  for (const part of parts) {
    const size = lineWidth(part)
    if (size === 0) continue
    const between = used === 0 ? 0 : gap.length
    if (used + between + size > cells) continue
    if (between > 0) line.push(span(gap))
    line.push(...part)
    used += between + size
  }
  return line
}

/** `left` and `right` at the two ends of a line; what doesn't fit beside `left` is left out. */
export const apart = (left: Line, right: Line, cells: number): Line => {
  const start = clipped(left, cells)
  const room = cells - lineWidth(start)
  const end = lineWidth(right)
  return end === 0 || end + 2 > room ? start : [...start, span(" ".repeat(room - end)), ...right]
}

/** A harmless text in pieces of at most `cells`; one empty piece for an empty text. */
export const broken = (text: string, cells: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  let rest = harmless(text)
  const size = Math.max(1, cells)
  do {
    const [piece] = head(rest, size)
    // a grapheme wider than the room is left out, else there is no end
    const taken =
      piece === "" ? (segmenter.segment(rest).containing(0)?.segment.length ?? rest.length) : piece.length
    if (piece !== "" || rest === "") pieces.push(piece)
    rest = rest.slice(taken)
  } while (rest !== "")
  return pieces.length === 0 ? [""] : pieces
}
