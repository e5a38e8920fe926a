/**
 * Cancelling a job in whatever state it is (R24, R26, R29): waiting ones at once, working ones by interrupting their agent, and not
 * at all once the landing has begun.
 */
import type { Job } from "../Job.ts"
import { isOver } from "../JobMachine.ts"
import { change, type Draft } from "./Draft.ts"
import { abandon, settleAbandoned } from "./ending.ts"
import type { Env } from "./Env.ts"
import { moveJob } from "./move.ts"
import type { CancelReason } from "./Signal.ts"

/** What came of a cancel: it is done, the job was over already, or its landing has begun and ends it. */
export type CancelOutcome = "cancelled" | "too_late"

/** Cancels `job`; `intent` null where nobody waits for a settled row of intent. */
export const cancel = (
  draft: Draft,
  env: Env,
  job: Job,
  wish: {
    readonly reason: CancelReason
    readonly actor: string
    readonly intent: number | null
    /** Why, in the words of who asked; kept in the event. Left out or null: nothing said. */
    readonly text?: string | null
  }
): CancelOutcome => {
  if (job.state === "CANCELLED") return settle(draft, job, wish.intent, "cancelled")
  if (isOver(job.state) || job.agent?.phase === "land") return settle(draft, job, wish.intent, "too_late")
  // Another host may take a waiting job in this moment, and a row that says this host owns it may be out of date.
  if (!draft.owned.has(job.seq)) change(draft, job, true)
  cancelJob(draft, env, job, wish)
  return settle(draft, job, wish.intent, "cancelled")
}

/** What a contested change says may be lost with it: the intent stays open, and a later look settles it. */
const settle = (draft: Draft, job: Job, intent: number | null, outcome: CancelOutcome): CancelOutcome => {
  if (intent !== null && draft.changes.get(job.seq)?.contested !== true)
    draft.settled.push({ intent, outcome })
  return outcome
}

const cancelJob = (
  draft: Draft,
  env: Env,
  job: Job,
  wish: { readonly reason: string; readonly actor: string; readonly text?: string | null }
): void => {
  const text = wish.text ?? null
  const cancelled = moveJob(
    draft,
    env,
    job,
    "cancel",
    {
      reason: wish.reason,
      actor: wish.actor,
      detail: text === null ? null : JSON.stringify({ reason: text })
    },
    { hold: null }
  )
  const { agent } = cancelled
  if (agent === null) return
  if (agent.state === "dispatched" || agent.state === "working") {
    // Verification runs no agent, but its gates do run: they are interrupted as the work would be.
    abandon(draft, env, cancelled, "cancelled", null, false)
  } else if (agent.standing === "waiting") {
    settleAbandoned(draft, env, cancelled, agent)
  }
}
