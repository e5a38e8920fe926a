/**
 * The board's first lines: whose fleet it is and how it stands, what has become of the jobs, how fast it goes and what it costs, and what is
 * wrong, if anything is.
 */
import { type BoardState } from "./BoardState.ts"
import { abreast, apart, clipped, fitted, type Line, lineWidth, span, type Tone } from "./Cells.ts"
import { age, money, perSecond, short } from "./Figures.ts"
import {
  type FleetLook,
  jobsIn,
  modeOf,
  type RunTally,
  slotsOf,
  type Spent,
  usedSlotsOf
} from "./FleetLook.ts"
import { rate, skyline, spentSince } from "./Pace.ts"
import { holdsOf } from "./panes/HoldsPane.ts"

const modeTones: Readonly<Record<string, Tone>> = { running: "good", "no host": "bad", stopped: "bad" }

const sourceOf = ({ hosts, via }: FleetLook): string => {
  if (via === "run") return ""
  if (via === "store") return "from the store"
  const answering = hosts.filter(({ answers }) => answers).map(({ host }) => host)
  return answering.length === 1 ? `host ${answering[0]} live` : `${answering.length} hosts live`
}

const first = (state: BoardState, look: FleetLook): Line => {
  const mode = modeOf(look)
  const title = look.run === null ? "muster" : look.run.title
  const since = look.run === null ? [] : [[span(age(state.now - look.run.startedAt))]]
  const left = [
    [span(fitted(title, Math.max(8, Math.floor(state.columns / 3))), "title")],
    [span(mode, modeTones[mode] ?? "waiting")],
    ...since,
    [span(sourceOf(look), "faint")]
  ]
  const start = abreast(left, state.columns)
  const room = state.columns - start.reduce((sum, { text }) => sum + text.length, 0) - 2
  // the end of a path says more than its beginning
  const path = look.store.length > room ? `…${look.store.slice(-Math.max(0, room - 1))}` : look.store
  return apart(start, room < 8 ? [] : [span(fitted(path, room), "faint")], state.columns)
}

const count = (name: string, many: number, tone: Tone): Line => [
  span(`${name} `, many === 0 ? "faint" : "plain"),
  span(short(many), many === 0 ? "faint" : tone)
]

const longestBar = 24

/** `▇▇▇▇░░░░` */
const bar = (share: number, cells: number, tone: Tone): Line => {
  const full = Math.min(cells, Math.max(share > 0 ? 1 : 0, Math.floor(share * cells)))
  return [span("█".repeat(full), tone), span("░".repeat(cells - full), "faint")]
}

const slots = (look: FleetLook, cells: number): Line => {
  const all = slotsOf(look)
  const used = usedSlotsOf(look)
  if (all === 0) return [span("no slots", "faint")]
  const figures = span(`slots ${used}/${all}`)
  return cells === 0 ? [figures] : [figures, span(" "), ...bar(used / all, cells, "busy")]
}

const jobs = (look: FleetLook): ReadonlyArray<Line> => [
  count("landed", jobsIn(look, "COMPLETED"), "good"),
  count("waiting", jobsIn(look, "PENDING"), "title"),
  count("working", jobsIn(look, "PROCESSING", "VALIDATING"), "busy"),
  count("dead", jobsIn(look, "DEAD_LETTERED", "FAILED"), "bad"),
  count("retrying", jobsIn(look, "RETRY_SCHEDULED"), "waiting"),
  ...(jobsIn(look, "CANCELLED") === 0 ? [] : [count("cancelled", jobsIn(look, "CANCELLED"), "faint")])
]

/** How far a run is. */
const progress = (counts: RunTally, cells: number): Line => {
  const lost = counts.dead + counts.cancelled
  const over = counts.landed + lost
  const share = counts.total === 0 ? 0 : over / counts.total
  const figures = span(`${over}/${counts.total} ${Math.floor(share * 100)}%`, "title")
  if (cells === 0) return [figures]
  // one cell at least, so that a single dead job among a thousand is seen
  const bad = lost === 0 ? 0 : Math.max(1, Math.floor((lost / counts.total) * cells))
  // and one that stays empty until all is over
  const most = cells - bad - (over < counts.total ? 1 : 0)
  const good = Math.max(0, Math.min(Math.floor((counts.landed / Math.max(1, counts.total)) * cells), most))
  return [
    span("█".repeat(good), "good"),
    span("▒".repeat(bad), "bad"),
    span("░".repeat(cells - bad - good), "faint"),
    span(" "),
    figures
  ]
}

const runJobs = (counts: RunTally): ReadonlyArray<Line> => [
  count("landed", counts.landed, "good"),
  count("waiting", counts.waiting, "title"),
  count("working", counts.working, "busy"),
  count("dead", counts.dead, "bad"),
  count("retrying", counts.retrying, "waiting"),
  ...(counts.cancelled === 0 ? [] : [count("cancelled", counts.cancelled, "faint")])
]

/** What has become of the jobs, after as long a bar as leaves room for all of it. */
const second = ({ columns }: BoardState, look: FleetLook): Line => {
  const { run } = look
  const told = run === null ? jobs(look) : runJobs(run.counts)
  const needed = told.reduce((sum, part) => sum + 2 + lineWidth(part), 0)
  const bars = [longestBar, 12, 6, 0].map((cells) =>
    run === null ? slots(look, cells) : progress(run.counts, cells)
  )
  const fitting = bars.find((line) => lineWidth(line) + needed <= columns) ?? bars.at(-1) ?? []
  return abreast([fitting, ...told], columns)
}

const tokens = ({ inputTokens, outputTokens }: Spent): Line =>
  inputTokens === null && outputTokens === null
    ? []
    : [span("tokens ", "faint"), span(`${short(inputTokens ?? 0)} in ${short(outputTokens ?? 0)} out`)]

const loop = ({ hosts }: FleetLook, now: number): ReadonlyArray<Line> => {
  const host = hosts.find(({ beating }) => beating)
  // of several, the pane tells
  if (host === undefined || hosts.length > 1) return []
  return [
    host.loop === null ? [] : [span("loop ", "faint"), span(host.loop.state)],
    [span("bank ", "faint"), span(host.bankedAt === null ? "none yet" : `${age(now - host.bankedAt)} ago`)]
  ]
}

const third = (state: BoardState, look: FleetLook): Line => {
  const { columns, now, pace } = state
  const pass = rate(pace)
  const spent = look.spent ?? spentSince(pace)
  const cells = Math.min(30, Math.floor(columns / 6))
  return abreast(
    [
      [
        span(
          pass === null ? "…" : perSecond(pass.landed),
          pass === null || pass.landed === 0 ? "plain" : "good"
        ),
        span(" landed/s", "faint")
      ],
      cells < 8 ? [] : [span(skyline(pace, cells), "good")],
      pass === null || pass.dead === 0 ? [] : [span(perSecond(pass.dead), "bad"), span(" dead/s", "faint")],
      spent.cost === null ? [] : [span("cost ", "faint"), span(money(spent.cost))],
      tokens(spent),
      ...(look.run === null ? [] : [slots(look, 0)]),
      ...loop(look, now),
      pass === null || columns < 100 ? [] : [span(perSecond(pass.events)), span(" events/s", "faint")]
    ],
    columns
  )
}

/** What is wrong, in one line; empty: nothing. */
const alarm = ({ columns, now }: BoardState, look: FleetLook): Line => {
  if (look.notice !== "") return clipped([span(look.notice, "waiting")], columns)
  const [hold, ...more] = holdsOf(look, now)
  if (hold === undefined) return []
  const since = hold.since === null ? "" : ` for ${age(now - hold.since)}`
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`
  return clipped(
    [
      span(
        `${hold.kind}: ${hold.what}${since}, ${hold.text}${rest}`,
        hold.kind === "store" || hold.kind === "storm" ? "bad" : "waiting"
      )
    ],
    columns
  )
}

/** The fewest rows that show so much. */
const rowsFor = { second: 6, third: 10, alarm: 8 } as const

export const header = (state: BoardState): ReadonlyArray<Line> => {
  const { look, rows } = state
  if (look === null) return [[span("muster", "title"), span("  looking …", "faint")]]
  const lines = [first(state, look)]
  if (rows >= rowsFor.second) lines.push(second(state, look))
  if (rows >= rowsFor.third) lines.push(third(state, look))
  const wrong = alarm(state, look)
  if (rows >= rowsFor.alarm && wrong.length > 0) lines.push(wrong)
  return lines
}
