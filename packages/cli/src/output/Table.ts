/**
 * Aligned columns under a heading, within the width of the page: what is too long is cut in the columns that may shrink.
 */
import type { Style } from "./Style.ts"
import { fit, oneLine, width } from "./Text.ts"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** `left` by default; numbers and durations go `right`. */
  readonly align?: "left" | "right"
  /** May be cut when the page is too narrow, but not below this many columns. Left out: never cut. */
  readonly shrinkTo?: number
  /** Colours the padded cell; left out: as it is. */
  readonly paint?: (style: Style, row: Row, text: string) => string
}

const gap = "  "

/** Takes the surplus from the widest column that may shrink, until the row fits or none may. */
const widths = (
  columns: ReadonlyArray<{ readonly shrinkTo?: number }>,
  natural: ReadonlyArray<number>,
  page: number
): ReadonlyArray<number> => {
  const taken = [...natural]
  let surplus = taken.reduce((sum, one) => sum + one, gap.length * (taken.length - 1)) - page
  while (surplus > 0) {
    let widest = -1
    for (const [index, { shrinkTo }] of columns.entries()) {
      const current = taken[index] ?? 0
      if (shrinkTo !== undefined && current > shrinkTo && current > (taken[widest] ?? 0)) widest = index
    }
    if (widest < 0) break
    taken[widest] = (taken[widest] ?? 0) - 1
    surplus--
  }
  return taken
}

const pad = (text: string, columns: number, align: "left" | "right" | undefined): string => {
  const space = " ".repeat(Math.max(0, columns - width(text)))
  return align === "right" ? space + text : text + space
}

/** The lines of the table, heading first; no line ends in spaces. */
export const table = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  page: { readonly width: number; readonly style: Style }
): ReadonlyArray<string> => {
  const cells = rows.map((row) => columns.map(({ value }) => oneLine(value(row))))
  const natural = columns.map(({ title }, index) =>
    cells.reduce((most, row) => Math.max(most, width(row[index] ?? "")), width(title))
  )
  const taken = widths(columns, natural, page.width)
  const line = (texts: ReadonlyArray<string>, paint: (text: string, index: number) => string): string =>
    texts
      .map((text, index) => {
        const size = taken[index] ?? 0
        const cell = fit(text, size)
        // the last cell gets no padding, so that nothing wraps
        const last = index === texts.length - 1 && columns[index]?.align !== "right"
        return paint(last ? cell : pad(cell, size, columns[index]?.align), index)
      })
      .join(gap)
      .trimEnd()
  return [
    line(
      columns.map(({ title }) => title),
      page.style.faint
    ),
    ...cells.map((texts, at) =>
      line(texts, (text, index) => {
        const row = rows[at]
        const paint = columns[index]?.paint
        return paint === undefined || row === undefined ? text : paint(page.style, row, text)
      })
    )
  ]
}

/** `name  value` lines with the names in one column; a value that doesn't fit goes on below itself. */
export const facts = (
  pairs: ReadonlyArray<readonly [name: string, value: string]>,
  page: { readonly style: Style }
): ReadonlyArray<string> => {
  const size = pairs.reduce((most, [name]) => Math.max(most, width(name)), 0)
  return pairs.map(([name, value]) => `${page.style.faint(pad(name, size, "left"))}${gap}${value}`.trimEnd())
}
