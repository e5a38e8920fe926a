/**
 * A payload or a result for people: JSON in few lines, whatever its size.
 */
import { fit, oneLine } from "./Text.ts"

/** Lines that are shown of one body. */
const bodyLines = 12

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/**
 * The body's lines, cut to the page.
 *
 * @param text JSON text; a small one stays on one line
 */
export const body = (text: string, columns: number): ReadonlyArray<string> => {
  if (text.length <= columns) return [oneLine(text)]
  const lines = pretty(text.slice(0, 64 * 1024)).split("\n")
  const shown = lines.slice(0, bodyLines).map((line) => fit(oneLine(line), columns))
  return lines.length > bodyLines || text.length > 64 * 1024
    ? [...shown, `… ${text.length.toLocaleString("en")} characters in all: --json has the whole`]
    : shown
}
