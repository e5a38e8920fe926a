/**
 * A pane's table: as many columns as there is room for, each as wide as what it holds, the last one with what is left.
 */
import { width } from "../output/Text.ts"
import { cell, fitted, harmless, type Line, type Span, span } from "./Cells.ts"

export interface GridColumn<Row> {
  readonly title: string
  readonly of: (row: Row) => Span
  readonly align?: "left" | "right"
  /** Cells at least. It takes what its rows need, up to `most`. */
  readonly least: number
  /** Left out: as `least`, always. */
  readonly most?: number
  /** It is left out below so many cells of the whole table; left out: never. */
  readonly from?: number
  /** It takes what the others leave; the last one alone. */
  readonly isRest?: boolean
}

const gap = "  "
/** Rows that are measured for a column's width: more cost time and tell nothing new. */
const measured = 500

const naturalWidth = <Row>(column: GridColumn<Row>, rows: ReadonlyArray<Row>): number => {
  const most = column.most ?? column.least
  let cells = column.least
  if (cells >= most) return cells
  for (const row of rows.length > measured ? rows.slice(0, measured) : rows) {
    cells = Math.max(cells, width(harmless(column.of(row).text.slice(0, most * 4))))
    if (cells >= most) return most
  }
  return cells
}

/** The columns that are shown, with their cells. */
export type GridLayout<Row> = ReadonlyArray<{ readonly column: GridColumn<Row>; readonly cells: number }>

export const layout = <Row>(
  columns: ReadonlyArray<GridColumn<Row>>,
  rows: ReadonlyArray<Row>,
  total: number
): GridLayout<Row> => {
  let room = total
  const shown: Array<{ readonly column: GridColumn<Row>; readonly cells: number }> = []
  for (const column of columns) {
    if (column.from !== undefined && total < column.from) continue
    const between = shown.length === 0 ? 0 : gap.length
    const cells = column.isRest === true ? room - between : naturalWidth(column, rows)
    if (cells < 1 || between + cells > room) continue
    room -= between + cells
    shown.push({ column, cells })
  }
  return shown
}

/** The line of titles. */
export const titles = <Row>(shown: GridLayout<Row>): Line => [
  span(shown.map(({ cells, column }) => cell(column.title, cells, column.align)).join(gap), "faint")
]

/** One row; every text in it is harmless and fits. */
export const row = <Row>(shown: GridLayout<Row>, one: Row): Line => {
  const line: Array<Span> = []
  for (const [index, { cells, column }] of shown.entries()) {
    const { text, tone } = column.of(one)
    const isLast = index === shown.length - 1 && column.align !== "right"
    if (index > 0) line.push(span(gap))
    line.push(span(isLast ? fitted(text, cells) : cell(text, cells, column.align), tone))
  }
  return line
}
