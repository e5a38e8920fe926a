/**
 * The live board of a run as text: a pure function of what is to be seen and of the terminal's size. No line is wider than the terminal,
 * and there are never more lines than it has rows, less one for the cursor.
 */
import { stripVTControlCharacters } from "node:util"
import type { AgentGlimpse } from "@muster/fleet"
import { brief } from "../output/Duration.ts"
import { colored, plain, type Style } from "../output/Style.ts"
import { fit, oneLine, width } from "../output/Text.ts"

/** Jobs of the run by what has become of them; they add up to `total`. */
export interface BoardCounts {
  readonly total: number
  readonly landed: number
  readonly working: number
  readonly retrying: number
  readonly waiting: number
  /** Quarantined, or failed for good. */
  readonly dead: number
  readonly cancelled: number
}

export interface BoardView {
  /** What runs: the workflow's name. */
  readonly title: string
  /** The store's path, as people know it. */
  readonly store: string
  /** Epoch ms. */
  readonly now: number
  /** Epoch ms. */
  readonly startedAt: number
  readonly slots: number
  readonly agents: ReadonlyArray<AgentGlimpse>
  readonly counts: BoardCounts
  /** Retries that were scheduled so far. */
  readonly retries: number
  /** Epoch ms when the next waiting job is due; null when none waits for a time. */
  readonly nextDue: number | null
  /** Said in place of the store, as when the run is asked to stop; empty for nothing. */
  readonly notice: string
}

export interface BoardSize {
  readonly columns: number
  readonly rows: number
  readonly color: boolean
}

/** An agent that says nothing for this long is shown as quiet, in milliseconds. */
const quietMillis = 10_000
/** A longer bar says nothing more. */
const longestBar = 60

/** `text` in at most `cells` cells, which may be none. */
const cut = (text: string, cells: number): string => (cells <= 0 ? "" : fit(text, cells))
/** `text` in exactly `cells` cells. */
const cell = (text: string, cells: number): string => {
  const short = cut(text, cells)
  return short + " ".repeat(Math.max(0, cells - width(short)))
}

const header = (view: BoardView, columns: number, style: Style): string => {
  const slots = `${view.slots} ${view.slots === 1 ? "slot" : "slots"}`
  const facts = ` · ${slots} · ${brief(view.now - view.startedAt)}`
  const title = cut(oneLine(view.title), Math.max(8, columns - width(facts)))
  const left = cut(title + facts, columns)
  const place = cut(oneLine(view.notice === "" ? view.store : view.notice), columns - width(left) - 2)
  const space = columns - width(left) - width(place)
  // a path that is cut to a few characters says nothing
  if (width(place) < 8) return style.title(left)
  return style.title(left) + " ".repeat(space) + (view.notice === "" ? style.faint : style.waiting)(place)
}

const progressBar = ({ counts }: BoardView, columns: number, style: Style): string => {
  const lost = counts.dead + counts.cancelled
  const over = counts.landed + lost
  const share = counts.total === 0 ? 0 : over / counts.total
  const numbers = `${over}/${counts.total} ${Math.floor(share * 100)}%`
  const cells = Math.min(longestBar, columns - width(numbers) - 1)
  if (cells < 4) return cut(numbers, columns)
  const cellsOf = (count: number): number =>
    counts.total === 0 ? 0 : Math.floor((count / counts.total) * cells)
  // one cell at least, so that a single dead job among a thousand is seen
  const dead = lost === 0 ? 0 : Math.max(1, cellsOf(lost))
  // and one that stays empty until all is over
  const landed = Math.min(cellsOf(counts.landed), cells - dead - (over < counts.total ? 1 : 0))
  const rest = cells - landed - dead
  return `${style.good("█".repeat(landed))}${style.bad("▒".repeat(dead))}${style.faint("░".repeat(rest))} ${numbers}`
}

interface Segment {
  readonly text: string
  readonly paint: (text: string) => string
}

const segments = ({ counts, retries }: BoardView, style: Style): ReadonlyArray<Segment> => {
  const segment = (name: string, count: number, paint: (text: string) => string): Segment => ({
    text: `${name} ${count}`,
    paint: count === 0 ? style.faint : paint
  })
  const all = [
    segment("landed", counts.landed, style.good),
    segment("working", counts.working, style.busy),
    segment("waiting", counts.waiting, style.title),
    segment("retrying", counts.retrying, style.waiting),
    segment("dead", counts.dead, style.bad)
  ]
  if (counts.cancelled > 0) all.push(segment("cancelled", counts.cancelled, style.faint))
  if (retries > 0) all.push(segment("retries", retries, style.faint))
  return all
}

/** Segments side by side, on as many lines as they need. */
const flow = (parts: ReadonlyArray<Segment>, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  let used = 0
  for (const { paint, text } of parts) {
    const short = cut(text, columns)
    if (used > 0 && used + 2 + width(short) > columns) {
      lines.push(line)
      line = ""
      used = 0
    }
    line += (used === 0 ? "" : "  ") + paint(short)
    used += (used === 0 ? 0 : 2) + width(short)
  }
  return used === 0 ? lines : [...lines, line]
}

interface Column {
  readonly title: string
  readonly cells: number
  readonly of: (agent: AgentGlimpse) => string
}

const shortId = (jobId: string): string => jobId.slice(jobId.lastIndexOf("-") + 1)

/** What there is room for; the rest of the line belongs to what the agent said last. */
const columnsFor = ({ agents, now }: BoardView, columns: number): ReadonlyArray<Column> => {
  const idOf = ({ jobId }: AgentGlimpse): string => (columns >= 60 ? jobId : shortId(jobId))
  const job = {
    title: "job",
    cells: Math.min(18, Math.max(3, ...agents.map((one) => idOf(one).length))),
    of: idOf
  }
  const standing = { title: "agent", cells: 10, of: ({ state }: AgentGlimpse) => state }
  const phase = { title: "phase", cells: 8, of: (one: AgentGlimpse) => one.phase ?? "" }
  const age = { title: "age", cells: 6, of: ({ startedAt }: AgentGlimpse) => brief(now - startedAt) }
  const attempt = { title: "try", cells: 3, of: (one: AgentGlimpse) => String(one.attempt) }
  if (columns >= 60) return [job, standing, phase, age, attempt]
  return columns >= 48 ? [job, phase, age] : [job, age]
}

const lastWords = ({ fraction, lastEventAt, lastLine }: AgentGlimpse, now: number): string => {
  const quiet = now - lastEventAt >= quietMillis ? `(quiet ${brief(now - lastEventAt)}) ` : ""
  const share = fraction === null ? "" : `${Math.floor(fraction * 100)}% `
  return quiet + share + oneLine(stripVTControlCharacters(lastLine)).trim()
}

const idle = ({ nextDue, now }: BoardView): string =>
  nextDue === null || nextDue <= now
    ? "no agent is at work"
    : `no agent is at work; the next job is due in ${brief(nextDue - now)}`

const table = (view: BoardView, columns: number, rows: number, style: Style): ReadonlyArray<string> => {
  const { agents, now } = view
  if (rows < 2) return []
  if (agents.length === 0) return [style.faint(cut(idle(view), columns))]
  const shown = agents.length < rows ? agents : agents.slice(0, rows - 2)
  const parts = columnsFor({ ...view, agents: shown }, columns)
  const titles = [...parts.map(({ cells, title }) => cell(title, cells)), "last line"].join("  ")
  const room = columns - parts.reduce((cells, part) => cells + part.cells + 2, 0)
  const lines = shown.map((agent) => {
    const cells = parts.map((part) => cell(oneLine(part.of(agent)), part.cells)).join("  ")
    const line = cut(`${cells}  ${cut(lastWords(agent, now), room)}`.trimEnd(), columns)
    return agent.attempt > 1 ? style.waiting(line) : line
  })
  const hidden = agents.length - shown.length
  const more = hidden === 0 ? [] : [style.faint(cut(`… and ${hidden} more`, columns))]
  return [style.faint(cut(titles, columns)), ...lines, ...more]
}

/** The board's lines, joined by line feeds, without one at the end. */
export const renderBoard = (view: BoardView, size: BoardSize): string => {
  const columns = Math.max(1, size.columns)
  const room = Math.max(1, size.rows - 1)
  const style = size.color ? colored : plain
  const top = [
    header(view, columns, style),
    progressBar(view, columns, style),
    ...flow(segments(view, style), columns)
  ]
  const below = table(view, columns, room - top.length - 1, style)
  return [...top, ...(below.length === 0 ? [] : ["", ...below])].slice(0, room).join("\n")
}
