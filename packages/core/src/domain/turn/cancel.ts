/**
 * Cancelling a job in whatever state it is (R24, R26, R29): waiting ones at once, working ones by interrupting their agent, and once the
 * landing has begun only if it fails.
 */
import type { Failure } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { isOver } from "../JobMachine.ts"
import { change, type Draft } from "./Draft.ts"
import { abandon, settleAbandoned } from "./ending.ts"
import type { Env } from "./Env.ts"
import { moveJob } from "./move.ts"
import type { CancelReason } from "./Signal.ts"

/** What came of a cancel: it is done, the job was over already, or its landing has begun and ends it. */
export type CancelOutcome = "cancelled" | "too_late"

/** Who wants it, and why. */
export interface CancelWish {
  readonly reason: CancelReason
  readonly actor: string
  /** The row of intent; null where nobody waits for a settled one. */
  readonly intent: number | null
  /** Why, in the words of who asked; kept in the event. Left out or null: nothing said. */
  readonly text?: string | null
}

/** Cancels `job`. */
export const cancel = (draft: Draft, env: Env, job: Job, wish: CancelWish): CancelOutcome => {
  if (job.state === "CANCELLED") return settle(draft, job, wish.intent, "cancelled")
  if (isOver(job.state)) return settle(draft, job, wish.intent, "too_late")
  // Too late as long as nobody knows how the landing ends; the intent stays open, since a landing that fails makes it good (R26).
  if (job.agent?.phase === "land" || job.agent?.standing === "landing_unknown") return "too_late"
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

/** The move, with what was said. `landing`: the failure of the landing that the cancel came too late for; null for none. */
const moveCancelled = (
  draft: Draft,
  env: Env,
  job: Job,
  wish: Omit<CancelWish, "intent">,
  landing: Failure | null
): Job => {
  const text = wish.text ?? null
  const detail = {
    ...(text === null ? {} : { reason: text }),
    ...(landing === null ? {} : { landing: landing.message })
  }
  return moveJob(
    draft,
    env,
    job,
    "cancel",
    {
      reason: wish.reason,
      actor: wish.actor,
      errorCode: landing?.code ?? null,
      detail: Object.keys(detail).length === 0 ? null : JSON.stringify(detail)
    },
    { hold: null, lastErrorCode: landing?.code ?? job.lastErrorCode }
  )
}

const cancelJob = (draft: Draft, env: Env, job: Job, wish: CancelWish): void => {
  const cancelled = moveCancelled(draft, env, job, wish, null)
  const { agent } = cancelled
  if (agent === null) return
  if (agent.state === "dispatched" || agent.state === "working") {
    // Verification runs no agent, but its gates do run: they are interrupted as the work would be.
    abandon(draft, env, cancelled, "cancelled", null, false)
  } else if (agent.standing === "waiting") {
    settleAbandoned(draft, env, cancelled, agent)
  }
}

/** A landing of which nobody knew has not happened. A cancel that waits for this is carried out; false: there is none (R27). */
export const cancelAbsent = (draft: Draft, env: Env, job: Job): boolean => {
  const wish = env.cancels?.get(job.seq)
  if (wish === undefined) return false
  const cancelled = moveCancelled(draft, env, job, wish, null)
  abandon(draft, env, cancelled, "cancelled", null, true)
  settle(draft, cancelled, wish.intent, "cancelled")
  return true
}

/** A landing was rejected. If a cancel has come too late for it, that one is made good; false: there is none (R26). */
export const cancelRejected = (draft: Draft, env: Env, job: Job, failure: Failure): boolean => {
  const wish = env.cancels?.get(job.seq)
  if (wish === undefined) return false
  const cancelled = moveCancelled(draft, env, job, wish, failure)
  abandon(draft, env, cancelled, "landing_rejected", failure.code, true)
  settle(draft, cancelled, wish.intent, "cancelled")
  return true
}
