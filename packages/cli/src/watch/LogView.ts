/**
 * The log of one agent with the moves of its job, at its end or where its reader has stopped.
 */
import type { LogLine } from "./BoardSource.ts"
import { type BoardState, type LogState } from "./BoardState.ts"
import { abreast, broken, clipped, type Line, span, type Span, type Tone } from "./Cells.ts"
import { age, limit, money, short, timeOfDay } from "./Figures.ts"
import { shortId } from "./FleetLook.ts"

const tones: Readonly<Record<LogLine["source"], Tone>> = {
  stdout: "plain",
  stderr: "faint",
  log: "faint",
  progress: "busy",
  event: "title"
}

/** `12:03:44 `, in UTC as everywhere; the same room where nobody knows. */
const clock = (at: number | null): string =>
  at === null || !Number.isFinite(at) ? "         " : `${timeOfDay(at)} `
/** Below so many columns the clock is left out. */
const clockFrom = 48

/** What is looked for, marked. */
const marked = (text: string, tone: Tone, search: string): ReadonlyArray<Span> => {
  if (search === "") return [span(text, tone)]
  const spans: Array<Span> = []
  const low = text.toLowerCase()
  // a letter may be longer in lower case: then nothing is marked, and nothing is torn
  if (low.length !== text.length) return [span(text, tone)]
  let from = 0
  for (let at = low.indexOf(search); at >= 0; at = low.indexOf(search, from)) {
    if (at > from) spans.push(span(text.slice(from, at), tone))
    spans.push(span(text.slice(at, at + search.length), "chosen"))
    from = at + search.length
  }
  if (from < text.length) spans.push(span(text.slice(from), tone))
  return spans
}

/** One line of the log as rows of the screen. */
const rowsOf = ({ at, source, text }: LogLine, columns: number, search: string): ReadonlyArray<Line> => {
  const time = columns >= clockFrom ? clock(at) : ""
  const rest = " ".repeat(time.length)
  return broken(text, Math.max(1, columns - time.length)).map((piece, index) =>
    [span(index === 0 ? time : rest, "faint")].concat(marked(piece, tones[source], search))
  )
}

const body = (log: LogState, columns: number, height: number): ReadonlyArray<Line> => {
  const { isFollowing, lines, top } = log
  const search = log.search.toLowerCase()
  const shown: Array<Line> = []
  if (isFollowing) {
    for (let index = lines.length - 1; index >= 0 && shown.length < height; index--) {
      const line = lines[index]
      if (line !== undefined) shown.unshift(...rowsOf(line, columns, search))
    }
    return height <= 0 ? [] : shown.slice(-height)
  }
  for (let index = top; index < lines.length && shown.length < height; index++) {
    const line = lines[index]
    if (line !== undefined) shown.push(...rowsOf(line, columns, search))
  }
  return shown.slice(0, height)
}

const heading = ({ columns, look, now }: BoardState, log: LogState): Line => {
  const agent = look?.agents.find(({ jobId }) => jobId === log.jobId)
  const retry = look?.retries.find(({ jobId }) => jobId === log.jobId)
  const letter = look?.letters.find(({ jobId }) => jobId === log.jobId)
  const id = columns < 60 ? shortId(log.jobId) : log.jobId
  const name: Line = [span(`job ${id}`, "title")]
  const where = log.isFollowing
    ? []
    : [span(`line ${Math.min(log.top + 1, log.lines.length)} of ${log.lines.length}`, "faint")]
  if (agent !== undefined) {
    const { attempt, lastSeenAt, phase, silenceMillis, spent, startedAt, state, workflow } = agent
    const window = silenceMillis === null ? "" : ` of ${limit(silenceMillis)}`
    return abreast(
      [
        name,
        [span(workflow)],
        [span(phase ?? state, "busy")],
        attempt > 1 ? [span(`try ${attempt}`, "waiting")] : [],
        [span("age ", "faint"), span(age(now - startedAt))],
        lastSeenAt === null ? [] : [span("silent ", "faint"), span(`${age(now - lastSeenAt)}${window}`)],
        spent.cost === null ? [] : [span(money(spent.cost))],
        spent.inputTokens === null && spent.outputTokens === null
          ? []
          : [span(`${short(spent.inputTokens ?? 0)} in ${short(spent.outputTokens ?? 0)} out`, "faint")],
        where
      ],
      columns
    )
  }
  const stands: Line =
    retry !== undefined
      ? [span(retry.dueAt <= now ? "retry is due" : `retry in ${age(retry.dueAt - now)}`, "waiting")]
      : letter !== undefined
        ? [span(letter.code, "bad")]
        : [span(look === null ? "" : "no agent is at work on it", "faint")]
  return abreast([name, [span(retry?.workflow ?? letter?.workflow ?? "")], stands, where], columns)
}

export const logView = (state: BoardState, log: LogState, height: number): ReadonlyArray<Line> => {
  if (height <= 0) return []
  const rows = body(log, state.columns, height - 1)
  const empty: Line = [span(log.isOver ? "nothing is known of it" : "…", "faint")]
  return [heading(state, log), ...(rows.length === 0 ? [empty] : rows)]
    .slice(0, height)
    .map((line) => clipped(line, state.columns))
}

/** Lines that a page moves by. */
export const pageOf = ({ rows }: BoardState): number => Math.max(1, rows - 4)

/** The log moved by so many lines; its reader leaves the end, or comes back to it. */
export const scrolled = (state: BoardState, log: LogState, step: number): LogState => {
  const page = pageOf(state)
  const last = Math.max(0, log.lines.length - page)
  const from = log.isFollowing ? last : log.top
  const top = Math.max(0, Math.min(from + step, last))
  return { ...log, top, isFollowing: step > 0 && from + step >= last }
}

/** To the next line that has the text, or the one before; where there is none, nothing moves. */
export const found = (log: LogState, direction: 1 | -1): LogState => {
  const wanted = log.search.toLowerCase()
  if (wanted === "") return log
  const from = log.isFollowing ? log.lines.length : log.top
  for (let index = from + direction; index >= 0 && index < log.lines.length; index += direction)
    if (log.lines[index]?.text.toLowerCase().includes(wanted) === true)
      return { ...log, top: index, isFollowing: false }
  return log
}
