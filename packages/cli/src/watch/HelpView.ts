/**
 * The page of keys.
 */
import { type BoardState } from "./BoardState.ts"
import { cell, clipped, type Line, span } from "./Cells.ts"

const keys: ReadonlyArray<readonly [keys: string, what: string]> = [
  ["↑ ↓  j k", "choose a row; PgUp PgDn, Home End (g G) go further"],
  ["tab  1…6", "the next pane; agents, queue, retries, dead letters, holds, hosts"],
  ["enter  l", "the job's log and story; on the queue: show that workflow alone"],
  ["esc  ←", "back; takes the filter away"],
  ["/", "filter the rows; in a log: search, then n and N"],
  ["c", "cancel the job that is chosen"],
  ["r", "replay the dead letter that is chosen"],
  ["p", "pause all hosts, or resume"],
  ["+ -", "more slots or fewer: of all hosts, or of the one that is chosen"],
  ["f", "in a log: stay at its end, or leave it"],
  ["ctrl-l", "draw all anew"],
  ["ctrl-z", "to the shell; fg brings it back"],
  ["q  ctrl-c", "leave"]
]

const cells = 12

export const helpView = ({ columns, quits }: BoardState, height: number): ReadonlyArray<Line> => {
  const lines = keys.map(([names, what]): Line => [
    span(cell(names, cells), "title"),
    span(names.startsWith("q") && quits === "run" ? "stop the run; it asks first (ctrl-c doesn't)" : what)
  ])
  return [[span("keys", "title")], [], ...lines].slice(0, height).map((line) => clipped(line, columns))
}
