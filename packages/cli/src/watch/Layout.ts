/**
 * Which panes are shown where: two columns on a large terminal; on a small one the pane that is looked at, and below it what there is room
 * for. Places depend on sizes and slots, not on who comes and goes, so that nothing jumps.
 */
import { type BoardState, type PaneName, paneNames } from "./BoardState.ts"
import { header } from "./Header.ts"
import { paneOf } from "./panes/panes.ts"

/** A pane's place: a line with its name, one with the titles, its rows. */
export interface Region {
  readonly pane: PaneName
  /** Lines in all. */
  readonly height: number
}

export interface BoardLayout {
  readonly columns: ReadonlyArray<{ readonly cells: number; readonly regions: ReadonlyArray<Region> }>
  /** A line names the panes, since not all of them are shown. */
  readonly hasTabs: boolean
}

/** From here on two columns. */
const wide = { columns: 110, rows: 24 } as const
/** Lines of a region that are no rows: its heading and the titles. */
export const frameLines = 2
/** A region with fewer lines shows nothing. */
const least = frameLines + 1
/** More rows of hosts than these are for scrolling. */
const mostHosts = 4

const beside: ReadonlyArray<PaneName> = ["queue", "retries", "letters", "holds", "hosts"]

/** Shares the lines of the right column out. */
const stacked = (state: BoardState, lines: number): ReadonlyArray<Region> => {
  const shown =
    lines >= least * beside.length ? beside : beside.slice(0, Math.max(1, Math.floor(lines / least)))
  const hosts = shown.includes("hosts")
    ? frameLines + Math.min(mostHosts, Math.max(1, paneOf.hosts.wants(state)))
    : 0
  const others = shown.filter((name) => name !== "hosts")
  const room = lines - Math.min(hosts, Math.max(0, lines - least * others.length))
  const each = Math.floor(room / others.length)
  return shown.map((pane, index) => {
    if (pane === "hosts") return { pane, height: lines - room }
    // the first ones get what is left over
    return { pane, height: each + (index < room - each * others.length ? 1 : 0) }
  })
}

/** The pane that is looked at and, if there is room, others. */
const single = (state: BoardState, lines: number): ReadonlyArray<Region> => {
  const regions: Array<Region> = []
  let room = lines
  const order = [state.pane, ...paneNames.filter((name) => name !== state.pane)]
  for (const pane of order) {
    const wants = paneOf[pane].wants(state)
    const isFirst = regions.length === 0
    if (room < least && !isFirst) break
    if (wants === 0 && !isFirst) continue
    const height = Math.min(room, frameLines + Math.max(1, wants))
    regions.push({ pane, height })
    room -= height
  }
  return regions
}

/** Lines of the screen for panes. */
const bodyLines = (state: BoardState): number => Math.max(0, state.rows - header(state).length - 1)

export const layoutOf = (state: BoardState): BoardLayout => {
  const lines = bodyLines(state)
  if (state.columns >= wide.columns && lines >= wide.rows) {
    const left = Math.floor(state.columns * 0.58)
    return {
      columns: [
        { cells: left, regions: [{ pane: "agents", height: lines }] },
        { cells: state.columns - left - 2, regions: stacked(state, lines) }
      ],
      hasTabs: false
    }
  }
  const hasTabs = lines > least
  const regions = single(state, hasTabs ? lines - 1 : lines)
  return { columns: [{ cells: state.columns, regions }], hasTabs }
}

/** Rows of the pane that is looked at. */
export const rowsOf = (state: BoardState, pane: PaneName): number => {
  for (const { regions } of layoutOf(state).columns)
    for (const region of regions) if (region.pane === pane) return Math.max(0, region.height - frameLines)
  return 0
}
