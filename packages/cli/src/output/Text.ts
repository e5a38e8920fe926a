/**
 * Text that may come from anybody, made fit for a terminal: control characters shown, widths as the terminal sees them.
 */
import { displayWidth } from "effect/cli/CliOutput"

/** Control characters, escape sequences among them, and what reorders a line: shown as \xNN, so that no agent paints the screen. */
const unsafe = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu
const printableAscii = /^[\x20-\x7E]*$/

/** On one line and harmless. */
export const oneLine = (text: string): string =>
  printableAscii.test(text)
    ? text
    : text
        .toWellFormed()
        .replaceAll(/\s*\r?\n\s*/g, " ⏎ ")
        .replaceAll(unsafe, (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`)

/** Columns that the text takes. */
export const width = (text: string): number => (printableAscii.test(text) ? text.length : displayWidth(text))

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The text in at most `columns`, its cut marked by an ellipsis. */
export const fit = (text: string, columns: number): string => {
  if (width(text) <= columns) return text
  if (printableAscii.test(text)) return `${text.slice(0, Math.max(0, columns - 1))}…`
  let cut = ""
  let taken = 0
  for (const { segment } of segmenter.segment(text)) {
    taken += width(segment)
    if (taken > columns - 1) break
    cut += segment
  }
  return `${cut}…`
}

/** Text broken at spaces into lines of at most `columns`; a longer word stays whole. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && width(line) + 1 + width(word) > columns) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}
