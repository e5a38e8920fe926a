/**
 * What happens in a run, as one plain line each: the job, its state, and what there is to know about it.
 */
import { stripVTControlCharacters } from "node:util"
import { brief } from "../output/Duration.ts"
import { paintState, type Style } from "../output/Style.ts"
import { fit, oneLine } from "../output/Text.ts"
import type { News } from "./News.ts"

/** Longer than this, a result or a message says no more at a glance. */
const longest = 120

const short = (text: string): string => fit(oneLine(stripVTControlCharacters(text).trim()), longest)

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A result at a glance: the last line of an output that stands for one, else its JSON. */
export const briefResult = (json: string | null): string => {
  const value: unknown = JSON.parse(json ?? "null")
  const stdout = isMembers(value) && Object.keys(value).length === 1 ? value["stdout"] : undefined
  if (typeof stdout === "string") return short(stdout.trimEnd().split("\n").at(-1) ?? "")
  return value === null ? "" : short(JSON.stringify(value))
}

const because = (code: string | null, message: string): string =>
  [code ?? "", short(message)].filter((part) => part !== "").join(": ")

const row = (style: Style, jobId: string, state: string, text: string): string =>
  `${jobId.padEnd(10)}  ${paintState(style, state, state.padEnd(15))}  ${text}`.trimEnd()

const eventLine = ({ event, job }: Extract<News, { _tag: "Event" }>, style: Style): string | null => {
  if (event.subjectKind !== "job") return null
  switch (event.event) {
    case "accept":
      return row(style, job.jobId, "PROCESSING", "attempt 1")
    case "retry":
      return row(style, job.jobId, "PROCESSING", `attempt ${job.attempt}`)
    case "schedule_retry": {
      if (job.asks.length > 0) {
        const steps = job.asks.map((step) => `"${short(step)}"`).join(", ")
        return row(style, job.jobId, "RETRY_SCHEDULED", `was ${steps} done? muster show ${job.jobId}`)
      }
      const wait = job.dueAt - event.occurredAt
      const next =
        event.transitionReason === "rate_limited"
          ? `held for ${brief(wait)}`
          : wait <= 0
            ? "again at once"
            : `again in ${brief(wait)}`
      const why = event.errorCode === null ? event.transitionReason : because(event.errorCode, job.message)
      return row(style, job.jobId, "RETRY_SCHEDULED", `${next}; ${why}`)
    }
    default:
      // the end is told when the store has been asked, the steps before it tell nothing
      return null
  }
}

const overLine = ({ already, job, stored }: Extract<News, { _tag: "Over" }>, style: Style): string => {
  const { lastErrorCode, state } = stored.job
  const what =
    state === "COMPLETED"
      ? briefResult(stored.result)
      : state === "CANCELLED"
        ? ""
        : because(lastErrorCode, job.message)
  const before = already ? (what === "" ? "already" : "already: ") : ""
  return row(style, job.jobId, state, before + what)
}

const conflictLine = ({ jobId, key, line }: Extract<News, { _tag: "Conflict" }>, style: Style): string =>
  style.bad(
    `line ${line}: ORCH_DUPLICATE_IDEMPOTENCY_KEY: the key "${short(key)}" belongs to ${jobId}, whose payload differs`
  )

/** The line for it, or null where it is not worth one. */
export const stateLine = (news: News, style: Style): string | null => {
  if (news._tag === "Event") return eventLine(news, style)
  return news._tag === "Over" ? overLine(news, style) : conflictLine(news, style)
}
