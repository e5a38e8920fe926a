/**
 * Why a job and its agent stand as they do, in sentences: from their last moves, the words of the tables, and the catalogue.
 */
import {
  agentId,
  AgentMachine,
  attemptsAllowed,
  type ErrorCatalogue,
  isoInstant,
  type Job,
  JobMachine,
  type LifecycleEvent,
  Machine,
  type RetryRow
} from "@muster/core"
import { parsed } from "../json/Parsed.ts"
import { delaysSeconds } from "../json/PolicyJson.ts"
import { brief, relative } from "../output/Duration.ts"
import { oneLine } from "../output/Text.ts"
import { because } from "./Reasons.ts"

/** What a failure said of itself, where a record holds it. */
const said = (text: string | null | undefined): string => {
  const found = parsed(text ?? null)
  if (typeof found !== "object" || found === null || !("message" in found)) return ""
  return typeof found.message === "string" ? `: ${oneLine(found.message)}` : ""
}

const lastMove = (
  events: ReadonlyArray<LifecycleEvent>,
  subject: LifecycleEvent["subjectKind"]
): LifecycleEvent | undefined =>
  events.findLast(({ subjectKind, toState }) => subjectKind === subject && toState !== null)

const stop = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** "It is X since …, because …" */
const moved = (what: string, state: string, event: LifecycleEvent | undefined, now: number): string => {
  if (event === undefined) return `${what} is ${state}.`
  const when = `since ${isoInstant(event.occurredAt)} (${relative(event.occurredAt, now)})`
  return stop(
    `${what} is ${state} ${when}, moved by ${oneLine(event.actor)}, because ${because(event.transitionReason)}`
  )
}

/** What follows from a code, by its row. */
export const policyWords = (entry: ErrorCatalogue.Entry, code: string): string => {
  const { policy } = entry
  const row = policy.code === code ? "" : ` (row ${policy.code})`
  if (!policy.retryable) {
    const kept = policy.quarantine || policy.severity === "critical"
    return `${code} is permanent${row}: the job fails at once${kept ? " and is kept as a dead letter" : ""}.`
  }
  const waits = delaysSeconds(entry).map((seconds) => brief(seconds * 1_000))
  const after = waits.length === 0 ? "" : `, after ${waits.join(", ")}`
  return `${code} is retried${row}: ${policy.maxAttempts} attempts in all${after}, each wait up to ${Math.round(policy.jitter * 100)} % shorter or longer.`
}

const attempts = (job: Job, entry: ErrorCatalogue.Entry): string => {
  const allowed = attemptsAllowed(job.maxRetries, entry.policy.maxAttempts)
  // the last one was retried no more
  const burned = job.retryCount + (job.state === "FAILED" || job.state === "DEAD_LETTERED" ? 1 : 0)
  return `It has burned ${burned} of ${allowed} attempts: the smaller of its own budget and that of the code.`
}

/** Of a job. */
export const jobSentences = (
  job: Job,
  events: ReadonlyArray<LifecycleEvent>,
  retries: ReadonlyArray<RetryRow>,
  catalogue: ErrorCatalogue.Catalogue,
  now: number
): ReadonlyArray<string> => {
  const last = lastMove(events, "job")
  const failed = events.findLast(({ event }) => event === "fail" || event === "reject")
  const row = retries.at(-1)
  const code = job.lastErrorCode
  const entry = code === null ? null : catalogue.lookup(code)
  const about = [
    moved(`Job ${job.jobId}`, job.state, last, now),
    // a quarantine follows on a failure, which says why
    ...(last?.event === "dead_letter" && failed !== undefined
      ? [`It had failed because ${because(failed.transitionReason)}.`]
      : []),
    ...(code === null
      ? []
      : [
          stop(
            `The last failure was ${code}${failed === undefined ? said(row?.failure) : said(failed.detail)}`
          )
        ]),
    ...(entry === null || code === null || job.state === "COMPLETED" ? [] : [policyWords(entry, code)])
  ]
  const counts = entry?.policy.retryable === true && job.retryCount > 0
  return [...about, ...(counts && entry !== null ? [attempts(job, entry)] : [])]
}

/** Of an agent, with the moves that are open to it. */
export const agentSentences = (
  job: Job,
  events: ReadonlyArray<LifecycleEvent>,
  now: number
): ReadonlyArray<string> => {
  const { agent, jobId } = job
  if (agent === null)
    return [`Job ${jobId} has no agent yet: it gets one when a slot is free and its payload was accepted.`]
  const where = [
    `this is life ${agent.incarnation}`,
    ...(agent.phase === null ? [] : [`it is in phase ${agent.phase}`]),
    ...(agent.owner === null ? ["no host owns it"] : [`host ${agent.owner.host} owns it`]),
    ...(agent.standing === null ? [] : [`it stands ${agent.standing}`]),
    ...(agent.hung ? ["its last life didn't end in time and was given up"] : [])
  ]
  const open = Machine.legal(AgentMachine, agent.state)
  return [
    moved(`Agent ${agentId(jobId)}`, agent.state, lastMove(events, "agent"), now),
    stop(where.join(", ").replace(/^./, (letter) => letter.toUpperCase())),
    open.length === 0
      ? "No move leaves this state."
      : stop(`From here its table knows ${open.map((event) => `"${event}"`).join(" and ")}`)
  ]
}

/** The moves that are open to a job. */
export const openMoves = (job: Job): string => {
  const open = Machine.legal(JobMachine, job.state)
  return open.length === 0
    ? "No move leaves this state."
    : stop(`From here its table knows ${open.map((event) => `"${event}"`).join(" and ")}`)
}
