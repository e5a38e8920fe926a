/**
 * The picture of a job's life: a bar a stretch on one scale of time, with how long it took and why it ended beside it.
 */
import type { Page } from "../output/Answer.ts"
import { brief } from "../output/Duration.ts"
import { paintState } from "../output/Style.ts"
import { fit, width } from "../output/Text.ts"
import type { Stretch } from "./Stretches.ts"

/** What a bar is drawn with: work is solid, waiting is light. */
const solid = new Set(["VALIDATING", "PROCESSING", "dispatched", "working"])

export interface Span {
  /** Epoch ms. */
  readonly from: number
  /** Epoch ms; at least `from`. */
  readonly until: number
}

/** Columns of a chart that a span takes, at least one: what is short is still there. */
export const columnsOf = (
  span: Span,
  whole: Span,
  columns: number
): { readonly start: number; readonly size: number } => {
  const length = Math.max(1, whole.until - whole.from)
  const at = (instant: number) => ((instant - whole.from) / length) * columns
  const start = Math.max(0, Math.min(columns - 1, Math.round(at(span.from))))
  return { start, size: Math.max(1, Math.min(columns - start, Math.round(at(span.until)) - start)) }
}

/** Marks of the scale, evenly apart: as many as have room. */
const scale = (whole: Span, columns: number): string => {
  const marks = columns >= 44 ? 4 : columns >= 20 ? 2 : 1
  let line = "0"
  for (let mark = 1; mark <= marks; mark++) {
    const text = brief(((whole.until - whole.from) * mark) / marks)
    const end = Math.round((columns * mark) / marks)
    line = `${line}${" ".repeat(Math.max(1, end - text.length - line.length))}${text}`
  }
  return line
}

const nameOf = ({ incarnation, state, subject }: Stretch): string => {
  if (subject === "agent") return `agent ${state}`
  return state === "PROCESSING" && incarnation > 0 ? `${state}, life ${incarnation}` : state
}

const why = ({ left }: Stretch): string =>
  left === null ? "" : [left.transitionReason, left.errorCode].filter((part) => part !== null).join(" ")

/**
 * What is drawn: every stretch that took time, and where the job ended. Of the agent only what goes on after its job is over: before that its
 * lives are the job's.
 */
const drawn = (stretches: ReadonlyArray<Stretch>): ReadonlyArray<Stretch> => {
  const end = stretches.findLast(({ subject }) => subject === "job")?.from ?? Number.POSITIVE_INFINITY
  return stretches.filter(({ from, subject, until }) => {
    if (subject === "job") return until === null || until > from
    return (until === null ? from : until) > end && from !== until
  })
}

/**
 * The lines of the picture, the scale first.
 *
 * @param end where the picture ends, epoch ms: now, or the last move of a life that is over
 */
export const picture = (
  stretches: ReadonlyArray<Stretch>,
  end: number,
  page: Page
): ReadonlyArray<string> => {
  const rows = drawn(stretches)
  const from = rows[0]?.from ?? end
  const whole = { from, until: Math.max(end, from + 1) }
  const names = Math.max(...rows.map((row) => width(nameOf(row))))
  const reasons = Math.max(0, ...rows.map((row) => width(why(row))))
  const times = 7
  const room = page.width - names - times - 4
  const reason = Math.max(0, Math.min(reasons, room - 18))
  const columns = Math.max(8, Math.min(100, room - (reason === 0 ? 0 : reason + 2)))
  return [
    page.style.faint(`${" ".repeat(names + 2)}${scale(whole, columns)}`),
    ...rows.map((row) => {
      const until = row.until ?? whole.until
      const { size, start } = columnsOf({ from: row.from, until }, whole, columns)
      const point = row.until === null && end <= row.from
      const bar = point ? "●" : (solid.has(row.state) ? "█" : "░").repeat(size)
      const took = point ? "" : brief(until - row.from)
      const cells = `${" ".repeat(start)}${paintState(page.style, row.state, bar)}${" ".repeat(
        Math.max(0, columns - start - (point ? 1 : size))
      )}`
      const name = nameOf(row).padEnd(names)
      const said = reason === 0 ? "" : `  ${page.style.faint(fit(why(row), reason))}`
      return `${paintState(page.style, row.state, name)}  ${cells}  ${took.padStart(times)}${said}`.trimEnd()
    })
  ]
}
