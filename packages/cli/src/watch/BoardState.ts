/**
 * What the board knows and where its reader stands: plain data. Looks, keys and lines of a log make a new one of it; `frame` shows it.
 */
import type { BoardCommand } from "./BoardCommand.ts"
import type { LogLine } from "./BoardSource.ts"
import type { Tone } from "./Cells.ts"
import type { FleetLook } from "./FleetLook.ts"
import * as Pace from "./Pace.ts"
import { noSeats, seat, type Seats } from "./Seats.ts"

export const paneNames = ["agents", "queue", "retries", "letters", "holds", "hosts"] as const
export type PaneName = (typeof paneNames)[number]

/** A row that was chosen: by its id as long as it is there, then by its place. */
interface Chosen {
  readonly id: string
  readonly index: number
}

export interface LogState {
  readonly jobId: string
  /** The oldest first, bounded. */
  readonly lines: ReadonlyArray<LogLine>
  /** The end of the log stays in sight. */
  readonly isFollowing: boolean
  /** The first line that is shown; not used while it follows. */
  readonly top: number
  /** What is looked for; empty: nothing. */
  readonly search: string
  /** Nothing more will come. */
  readonly isOver: boolean
}

/** What is typed into the last row. */
interface BoardInput {
  readonly kind: "filter" | "search"
  readonly text: string
}

/** A question that `y` answers with yes. */
interface BoardQuestion {
  readonly text: string
  readonly command: BoardCommand
}

/** Slots that are being set. */
interface Scaling {
  /** Null: of all hosts. */
  readonly host: number | null
  readonly before: number
  readonly slots: number
}

interface Said {
  readonly text: string
  readonly tone: Tone
  /** Epoch ms. */
  readonly until: number
}

export interface BoardState {
  readonly columns: number
  readonly rows: number
  /** Epoch ms. */
  readonly now: number
  /** Null: nothing is known yet. */
  readonly look: FleetLook | null
  readonly seats: Seats
  readonly pace: Pace.Pace
  readonly pane: PaneName
  readonly chosen: Readonly<Partial<Record<PaneName, Chosen>>>
  /** Rows that are scrolled past. */
  readonly tops: Readonly<Partial<Record<PaneName, number>>>
  /** Rows that don't have it in them are left out; empty: all are shown. */
  readonly filter: string
  readonly input: BoardInput | null
  readonly question: BoardQuestion | null
  readonly scaling: Scaling | null
  /** Null: the panes are shown. */
  readonly log: LogState | null
  readonly isHelp: boolean
  readonly said: Said | null
  /** What quitting means: the board goes, or the run ends. */
  readonly quits: "board" | "run"
  /** Keys reach it. */
  readonly hasKeys: boolean
}

export const initial = (
  given: Pick<BoardState, "columns" | "rows" | "now" | "quits" | "hasKeys">
): BoardState => ({
  ...given,
  look: null,
  seats: noSeats,
  pace: Pace.standing,
  pane: "agents",
  chosen: {},
  tops: {},
  filter: "",
  input: null,
  question: null,
  scaling: null,
  log: null,
  isHelp: false,
  said: null
})

/** Lines of a log that are kept. */
const keptLines = 5_000
const saidMillis = 6_000

export const takeLook = (state: BoardState, look: FleetLook, now: number): BoardState => ({
  ...state,
  now,
  look,
  seats: seat(state.seats, look.agents),
  pace: Pace.take(state.pace, look)
})

export const takeTime = (state: BoardState, now: number): BoardState => ({
  ...state,
  now,
  said: state.said !== null && state.said.until <= now ? null : state.said
})

export const takeSize = (state: BoardState, columns: number, rows: number): BoardState => ({
  ...state,
  columns,
  rows
})

/** What comes belongs at the end, but for what was said before and is read later. */
const inOrder = (lines: ReadonlyArray<LogLine>, more: ReadonlyArray<LogLine>): ReadonlyArray<LogLine> => {
  const all = [...lines, ...more]
  const last = lines.at(-1)?.at ?? null
  const first = more[0]?.at ?? null
  return last === null || first === null || first >= last
    ? all
    : all.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
}

/** Lines of the log that is open; those of another one come too late. */
export const takeLines = (state: BoardState, jobId: string, lines: ReadonlyArray<LogLine>): BoardState => {
  const { log } = state
  if (log?.jobId !== jobId) return state
  const all = inOrder(log.lines, lines)
  const dropped = Math.max(0, all.length - keptLines)
  return { ...state, log: { ...log, lines: all.slice(dropped), top: Math.max(0, log.top - dropped) } }
}

export const endLog = (state: BoardState, jobId: string): BoardState =>
  state.log?.jobId === jobId ? { ...state, log: { ...state.log, isOver: true } } : state

export const say = (state: BoardState, text: string, tone: Tone = "title"): BoardState => ({
  ...state,
  said: { text, tone, until: state.now + saidMillis }
})
