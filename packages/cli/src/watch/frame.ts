/**
 * The whole screen as lines: a pure function of the board's state. There are never more lines than rows, and none is wider than the terminal,
 * whatever agents print.
 */
import { type BoardState, type PaneName, paneNames } from "./BoardState.ts"
import { clipped, fitted, type Line, lineWidth, padded, span } from "./Cells.ts"
import { footer } from "./Footer.ts"
import { header } from "./Header.ts"
import { helpView } from "./HelpView.ts"
import { frameLines, layoutOf, type Region } from "./Layout.ts"
import { logView } from "./LogView.ts"
import { paneOf } from "./panes/panes.ts"
import { choiceOf, topOf } from "./Selection.ts"

/** Says beside the name which rows are in sight, where not all are. */
const position = (top: number, height: number, total: number): string =>
  total <= height ? "" : ` ${top + 1}–${Math.min(top + height, total)} of ${total}`

/** `─ agents 12 in 200 slots ─────── 1–20 of 200 ─` */
const heading = (state: BoardState, name: PaneName, cells: number, where: string): Line => {
  const { count, title } = paneOf[name]
  const isLookedAt = state.pane === name
  const told = state.look === null ? "" : ` ${count(state.look)}`
  const filtered = state.filter === "" ? "" : ` /${state.filter}`
  const left = fitted(`${isLookedAt ? "▸" : "─"} ${title}${told}${filtered} `, cells)
  const rest = cells - lineWidth([span(left)])
  const right = where === "" || where.length + 4 > rest ? "" : `${where} ─`
  return [
    span(left, isLookedAt ? "title" : "plain"),
    span("─".repeat(Math.max(0, rest - right.length)) + right, "faint")
  ]
}

/** The chosen row: a mark before it, and reversed where there are colours. */
const chosen = (line: Line, cells: number): Line => [
  span("▸", "chosen"),
  ...padded(line, cells - 1).map(({ text, tone }) => span(text, tone === "bad" ? "bad" : "chosen"))
]

const region = (state: BoardState, { height, pane }: Region, cells: number): ReadonlyArray<Line> => {
  const definition = paneOf[pane]
  const rows = Math.max(0, height - frameLines)
  const total = definition.entries(state).length
  const top = topOf(state, pane, rows)
  const head = heading(state, pane, cells, position(top, rows, total))
  // one column is left for the mark
  const inner = Math.max(1, cells - 1)
  if (total === 0)
    return [head, [span(` ${fitted(definition.nothing(state), inner)}`, "faint")]].slice(0, height)
  const table = definition.table(state, inner, top, rows)
  const { index } = choiceOf(state, pane)
  const lines = table.lines.map((line, at) =>
    pane === state.pane && state.hasKeys && top + at === index ? chosen(line, cells) : [span(" "), ...line]
  )
  return [head, [span(" "), ...table.titles], ...lines].slice(0, height)
}

const shortNames: Readonly<Record<PaneName, string>> = {
  agents: "agents",
  queue: "queue",
  retries: "retries",
  letters: "dead",
  holds: "holds",
  hosts: "hosts"
}

/** All panes with their counts, the one that is looked at marked. */
const tabs = (state: BoardState): Line => {
  const { columns, look } = state
  const isTight = columns < 76
  const line: Array<Line[number]> = []
  for (const [index, name] of paneNames.entries()) {
    const count = look === null ? "" : paneOf[name].count(look).replace(/(?: in |,).*/, "")
    const word = isTight ? shortNames[name].slice(0, 3) : `${index + 1} ${shortNames[name]}`
    const isHere = state.pane === name
    if (index > 0) line.push(span(isTight ? " " : "  "))
    line.push(span(isHere ? `[${word} ${count}]` : `${word} ${count}`, isHere ? "title" : "faint"))
  }
  return clipped(line, columns)
}

const columnLines = (
  state: BoardState,
  regions: ReadonlyArray<Region>,
  cells: number
): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (const one of regions) {
    const shown = region(state, one, cells)
    lines.push(...shown, ...Array.from({ length: one.height - shown.length }, () => []))
  }
  return lines
}

const panes = (state: BoardState, height: number): ReadonlyArray<Line> => {
  const { columns, hasTabs } = layoutOf(state)
  const [left, right] = columns
  if (left === undefined) return []
  const lines = columnLines(state, left.regions, left.cells)
  const top = hasTabs ? [tabs(state)] : []
  if (right === undefined) return [...top, ...lines].slice(0, height)
  const others = columnLines(state, right.regions, right.cells)
  return lines.map((line, index) => padded(line, left.cells).concat(span("  "), others[index] ?? []))
}

/** Exactly as many lines as the terminal has rows. */
export const frame = (state: BoardState): ReadonlyArray<Line> => {
  const { columns, rows } = state
  const top = header(state).slice(0, Math.max(0, rows - 1))
  const height = Math.max(0, rows - top.length - 1)
  const body = state.isHelp
    ? helpView(state, height)
    : state.log !== null
      ? logView(state, state.log, height)
      : panes(state, height)
  const filled = [
    ...body.slice(0, height),
    ...Array.from({ length: Math.max(0, height - body.length) }, () => [])
  ]
  const lines = [...top, ...filled, footer(state)].slice(0, Math.max(1, rows))
  return lines.map((line) => clipped(line, columns))
}

/** For tests and plain terminals: the frame without colours. */
export const frameText = (state: BoardState): string =>
  frame(state)
    .map((line) =>
      line
        .map(({ text }) => text)
        .join("")
        .trimEnd()
    )
    .join("\n")
