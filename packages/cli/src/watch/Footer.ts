/**
 * The board's last line: what is asked or typed, else what was said, else the keys that are good for something here.
 */
import { type BoardState } from "./BoardState.ts"
import { abreast, clipped, type Line, span } from "./Cells.ts"
import { choiceOf } from "./Selection.ts"

type Hint = readonly [key: string, what: string]

const line = (hints: ReadonlyArray<Hint>, columns: number): Line =>
  abreast(
    hints.map(([key, what]): Line => [span(key, "title"), span(` ${what}`, "faint")]),
    columns
  )

const logHints = (isFollowing: boolean): ReadonlyArray<Hint> => [
  ["esc", "back"],
  ["?", "keys"],
  ["↑↓", "scroll"],
  ["f", isFollowing ? "stay here" : "follow"],
  ["/", "search"],
  ["c", "cancel"]
]

const hints = (state: BoardState): ReadonlyArray<Hint> => {
  const { filter, log, look, pane, quits } = state
  if (state.isHelp) return [["esc", "back"]]
  if (log !== null) return logHints(log.isFollowing)
  const { entry } = choiceOf(state, pane)
  const isPaused = look?.wishes.some(({ kind }) => kind === "pause") === true
  return [
    ["q", quits === "run" ? "stop" : "quit"],
    ["?", "keys"],
    ...(filter === "" ? [] : ([["esc", `all rows (/${filter})`]] as const)),
    ["tab", "pane"],
    ...(entry?.jobId === null || entry === null ? [] : ([["enter", "log"]] as const)),
    ...(entry?.jobId === null || entry === null || pane === "letters" ? [] : ([["c", "cancel"]] as const)),
    ...(pane === "letters" && entry !== null ? ([["r", "replay"]] as const) : []),
    ["p", isPaused ? "resume" : "pause"],
    ["+-", "slots"],
    ["/", "filter"],
    ["↑↓", "choose"]
  ]
}

export const footer = (state: BoardState): Line => {
  const { columns, hasKeys, input, quits, question, said, scaling } = state
  if (!hasKeys)
    return clipped(
      [span(said?.text ?? `ctrl-c ${quits === "run" ? "stops the run" : "leaves"}`, said?.tone ?? "faint")],
      columns
    )
  if (question !== null) return clipped([span(`${question.text} `, "waiting"), span("y/n", "title")], columns)
  if (input !== null) {
    // the end of what is typed stays in sight
    const room = Math.max(1, columns - 10)
    const shown = input.text.length > room ? `…${input.text.slice(1 - room)}` : input.text
    return clipped(
      [span(input.kind === "filter" ? "filter " : "search ", "faint"), span(`${shown}█`, "title")],
      columns
    )
  }
  if (scaling !== null) {
    const whose = scaling.host === null ? "each host's slots" : `slots of host ${scaling.host}`
    return clipped(
      [
        span(`${whose}: ${scaling.before} → ${scaling.slots}  `, "waiting"),
        span("enter sets it, esc leaves it", "faint")
      ],
      columns
    )
  }
  if (said !== null) return clipped([span(said.text, said.tone)], columns)
  return line(hints(state), columns)
}
