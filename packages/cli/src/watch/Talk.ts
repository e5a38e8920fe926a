/**
 * What is written to the streams below a board, as the one line that it has room for.
 */
import { harmless } from "./Cells.ts"

/** What Effect's loggers put before a message: when, how grave, which fiber, and the spans of time that it is in. */
const logged = /^\[[\d:.]+\] [A-Z]+ \(#\d+\)(?: [^ :]+=\d+ms)*: /

/** Of a log its message, without what it knows besides; of anything else the last line. Empty: nothing was said. */
export const lineOf = (text: string): string => {
  const lines = text.split("\n").map(harmless)
  const [head] = lines
  return head !== undefined && logged.test(head)
    ? head.replace(logged, "")
    : (lines.findLast((line) => line.trim() !== "") ?? "")
}
