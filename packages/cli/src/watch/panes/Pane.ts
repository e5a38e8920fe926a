/**
 * What all panes have in common: rows that can be chosen and filtered, shown as a table.
 */
import type { BoardState, PaneName } from "../BoardState.ts"
import type { Line } from "../Cells.ts"
import type { FleetLook } from "../FleetLook.ts"
import { type GridColumn, layout, row as gridRow, titles } from "../Grid.ts"

/** What keys need to know of a row. */
export interface PaneEntry {
  readonly id: string
  /** The job that it is about; null: none. */
  readonly jobId: string | null
}

interface PaneTable {
  readonly titles: Line
  /** One a row that is asked for. */
  readonly lines: ReadonlyArray<Line>
}

export interface Pane {
  readonly name: PaneName
  readonly title: string
  /** Of all that there is, whatever is filtered; a text where there is more to say. */
  readonly count: (look: FleetLook) => string
  /** Rows that it would like to have, whatever the filter: it keeps its place while it churns. 0: there is nothing to see. */
  readonly wants: (state: BoardState) => number
  /** Said in place of rows. */
  readonly nothing: (state: BoardState) => string
  /** The filtered rows. */
  readonly entries: (state: BoardState) => ReadonlyArray<PaneEntry>
  readonly table: (state: BoardState, cells: number, from: number, count: number) => PaneTable
}

export interface PaneDefinition<Row> extends Pick<Pane, "name" | "title" | "count" | "nothing"> {
  readonly wants?: Pane["wants"]
  /** In the order in which they are shown. */
  readonly rows: (state: BoardState, look: FleetLook) => ReadonlyArray<Row>
  readonly id: (row: Row) => string
  readonly jobId?: (row: Row) => string | null
  /** What a filter looks into. */
  readonly words: (row: Row) => ReadonlyArray<string | number | null>
  readonly columns: (state: BoardState, look: FleetLook) => ReadonlyArray<GridColumn<Row>>
}

/** A text of which more is looked at by nobody. */
const longestWord = 1_024

export const pane = <Row>(definition: PaneDefinition<Row>): Pane => {
  const { columns, id, jobId, rows, words } = definition
  const matches = (one: Row, wanted: string): boolean =>
    words(one).some((word) =>
      String(word ?? "")
        .slice(0, longestWord)
        .toLowerCase()
        .includes(wanted)
    )
  /** A state is asked several times while it is drawn. */
  const known = new WeakMap<BoardState, ReadonlyArray<Row>>()
  const filtered = (state: BoardState): ReadonlyArray<Row> => {
    const before = known.get(state)
    if (before !== undefined || state.look === null) return before ?? []
    const wanted = state.filter.toLowerCase()
    const found = rows(state, state.look)
    const shown = wanted === "" ? found : found.filter((one) => matches(one, wanted))
    known.set(state, shown)
    return shown
  }
  return {
    ...definition,
    wants:
      definition.wants ??
      ((state) =>
        state.look === null ? 0 : (state.filter === "" ? filtered(state) : rows(state, state.look)).length),
    entries: (state) =>
      filtered(state).map((one) => ({ id: id(one), jobId: jobId === undefined ? null : jobId(one) })),
    table: (state, cells, from, count) => {
      if (state.look === null) return { titles: [], lines: [] }
      const found = filtered(state)
      const shown = layout(columns(state, state.look), found, cells)
      return {
        titles: titles(shown),
        lines: found.slice(from, from + count).map((one) => gridRow(shown, one))
      }
    }
  }
}
