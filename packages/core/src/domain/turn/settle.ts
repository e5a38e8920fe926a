/**
 * An operator says what became of a step whose outcome nobody knew (R24, R28): it was done, it was not, or the job is to end here.
 */
import type { Agent } from "../Agent.ts"
import { OutcomeUnknown } from "../errors/AttemptErrors.ts"
import { fromError } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { askAbout } from "../JobHold.ts"
import { isOver } from "../JobMachine.ts"
import type { Settlement } from "../Settlement.ts"
import { change, type Draft, mark } from "./Draft.ts"
import { failJob, settleAbandoned } from "./ending.ts"
import type { Env } from "./Env.ts"
import { moveJob, put } from "./move.ts"

/** What came of it: the answer is written, or the step is not open: somebody has settled it, or its incarnation still does it. */
export type SettleOutcome = "settled" | "not_open"

export interface SettleWish {
  readonly settlement: Settlement
  readonly actor: string
  /** Why, in the words of who settles; null: nothing said. */
  readonly text: string | null
  /** The incarnation whose step it speaks of: a later one asks anew. Null or left out: whichever asks now. */
  readonly askedOf?: number | null
  /** The row of intent that asks for it; null where none is. */
  readonly intent: number | null
}

/** Whether an operator may settle the step: no incarnation is at work that might finish it. Of a job that is over only the record is set right. */
export const maySettle = (job: Job, { marker, outcome }: Settlement): boolean =>
  job.agent !== null &&
  job.agent.steps.includes(marker) &&
  (job.state === "RETRY_SCHEDULED" || (outcome !== "fail" && isOver(job.state)))

/** Writes the answer. Of a job that this host doesn't own the change is contested: it is lost to whoever has written the row before. */
export const settle = (draft: Draft, env: Env, job: Job, wish: SettleWish): SettleOutcome => {
  const { agent } = job
  const { intent, settlement } = wish
  const askedOf = wish.askedOf ?? agent?.incarnation
  if (agent === null || agent.incarnation !== askedOf || !maySettle(job, settlement)) {
    if (intent !== null) draft.settled.push({ intent, outcome: "not_open" })
    return "not_open"
  }
  const entry = change(draft, job, !draft.owned.has(job.seq))
  entry.events.push({
    subjectKind: "job",
    event: "marker_settled",
    fromState: null,
    toState: null,
    transitionReason: "operator",
    errorCode: null,
    actor: wish.actor,
    occurredAt: Math.max(env.now, job.updatedAt),
    incarnation: agent.incarnation,
    detail: JSON.stringify({
      marker: settlement.marker,
      outcome: settlement.outcome,
      ...(wish.text === null ? {} : { reason: wish.text })
    })
  })
  if (settlement.outcome === "fail") end(draft, env, job, agent, wish)
  else answer(draft, env, job, agent, settlement)
  if (intent !== null) draft.settled.push({ intent, outcome: "settled", job: job.seq })
  return "settled"
}

/** Writes what became of the step; with its last open one the job is due again. */
const answer = (
  draft: Draft,
  env: Env,
  job: Job,
  agent: Agent,
  { marker, outcome, result }: Settlement
): void => {
  const entry = change(draft, job)
  const done = outcome === "done"
  mark(entry, {
    name: marker,
    state: done ? "finished" : "cleared",
    incarnation: agent.incarnation,
    at: env.now,
    result: done ? JSON.stringify(result ?? null) : null
  })
  const steps = agent.steps.filter((step) => step !== marker)
  const hold = job.hold === null ? null : askAbout(steps, env.now)
  const runAt = job.hold !== null && hold === null ? env.now : job.runAt
  put(draft, entry, { ...job, hold, runAt, agent: { ...agent, steps } })
}

/** Ends the job with its step unknown: by the edges that the table has, and without another incarnation. */
const end = (draft: Draft, env: Env, job: Job, agent: Agent, { actor, text }: SettleWish): void => {
  const by = { ...env, actor }
  const retried = moveJob(draft, by, job, "retry", { reason: "settled" }, { hold: null })
  const detail = text === null ? `${actor} has ended it` : `${actor}: ${text}`
  const failure = fromError(new OutcomeUnknown({ jobId: job.jobId, markers: agent.steps, detail }))
  const failed = failJob(draft, by, retried, failure, "fail", "outcome_unknown")
  if (failed.agent?.standing === "waiting") settleAbandoned(draft, env, failed, failed.agent)
}
