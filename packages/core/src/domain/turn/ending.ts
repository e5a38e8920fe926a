/**
 * How an attempt ends without landing: the reaction to its code moves the job, the agent is abandoned, and when the job is over, the
 * agent is closed: archived, tombstoned, cleaned, in this order.
 */
import type { Agent } from "../Agent.ts"
import type { AbandonReason } from "../AgentMachine.ts"
import { dispositionOf } from "../Disposition.ts"
import { draw } from "../Draw.ts"
import type { Failure } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { isOver } from "../JobMachine.ts"
import { react } from "../Reaction.ts"
import { tellBreaker } from "./breakers.ts"
import { doubtOf } from "./doubt.ts"
import { change, type Draft, mark } from "./Draft.ts"
import type { Env } from "./Env.ts"
import { endOf, wasSound } from "./health.ts"
import { keepAgent, moveAgent, moveJob } from "./move.ts"

/** Fails the job for good, and quarantines it where its code asks for that: two events of one commit (R3). */
export const failJob = (
  draft: Draft,
  env: Env,
  job: Job,
  failure: Failure,
  event: "fail" | "reject",
  reason: string,
  exhausted = false
): Job => {
  const reaction = react(env.catalogue, {
    code: failure.code,
    burned: exhausted ? Number.MAX_SAFE_INTEGER : job.retryCount + 1,
    maxRetries: job.maxRetries,
    retryAfterMillis: null,
    now: env.now,
    draw: 0
  })
  const eventCode = exhausted ? "ORCH_RETRY_BUDGET_EXHAUSTED" : failure.code
  // The whole failure, cause included: no retry row follows that would keep it.
  const detail = JSON.stringify(failure)
  const failed = moveJob(
    draft,
    env,
    job,
    event,
    { reason, errorCode: eventCode, detail },
    { lastErrorCode: failure.code }
  )
  if (reaction._tag === "Fail" && !reaction.quarantine) return failed
  change(draft, failed).letter = {
    finalState: failed.state,
    failureErrorCode: failure.code,
    failureSummary: failure.message,
    quarantinedAt: failed.updatedAt,
    replayEligible: reaction._tag === "Fail" ? reaction.replayEligible : true
  }
  return moveJob(draft, env, failed, "dead_letter", { reason: "quarantined", errorCode: failure.code })
}

/** When and how the next attempt follows. */
interface Next {
  readonly reason: string
  /** Epoch ms. */
  readonly dueAt: number
  readonly delayMillis: number
  /** It counts against the budget. */
  readonly burned: boolean
  readonly hold: string | null
  /** Further members of the event's detail. */
  readonly detail: object
}

/** Schedules the next attempt and writes its row of the retry log. */
export const scheduleRetry = (draft: Draft, env: Env, job: Job, failure: Failure, next: Next): Job => {
  const { burned, delayMillis, dueAt, hold, reason } = next
  const retryCount = job.retryCount + (burned ? 1 : 0)
  change(draft, job).retry = {
    attempt: retryCount,
    incarnation: job.agent?.incarnation ?? 0,
    errorCode: failure.code,
    burned,
    delayMillis,
    nextAt: dueAt,
    at: env.now,
    failure: JSON.stringify(failure)
  }
  const detail = JSON.stringify({ delay_ms: delayMillis, message: failure.message, ...next.detail })
  const patch = { runAt: dueAt, retryCount, lastErrorCode: failure.code, hold }
  return moveJob(draft, env, job, "schedule_retry", { reason, errorCode: failure.code, detail }, patch)
}

/**
 * A plugin that the agent needs can't do its work: nothing that the job did wrong, so its attempt isn't burned (R2). Its code's row says how
 * long to wait, and the workflow's breaker hears of it, so that one job at a time finds out whether it is mended.
 */
const isBroken = ({ code }: Failure, reason: AbandonReason): boolean =>
  code === "ORCH_PLUGIN_FAILED" &&
  (reason === "plugin_broken" || reason === "prepare_failed" || reason === "sentinel_failed")

/** Reacts to the failure of an attempt by its code (seed, "Error Handling Integration"; R2, R3). */
const reactJob = (draft: Draft, env: Env, job: Job, failure: Failure, reason: AbandonReason): Job => {
  const burned = job.retryCount + 1
  const broken = isBroken(failure, reason)
  const reaction = react(env.catalogue, {
    code: failure.code,
    burned,
    maxRetries: job.maxRetries,
    retryAfterMillis: failure.retryAfterMillis ?? (broken ? 0 : null),
    now: env.now,
    draw: draw(env.seed, job.seq, burned),
    ...(wasSound(env, job, reason) ? { attemptIndex: 0 } : {})
  })
  tellBreaker(draft, env, job, broken && reaction._tag === "Hold" ? "failure" : endOf(reaction))
  if (reaction._tag === "Fail")
    return reaction.exhausted
      ? failJob(draft, env, job, failure, "fail", "retry_budget_exhausted", true)
      : failJob(draft, env, job, failure, "fail", "permanent_error")
  const doubt = doubtOf(env, job, failure)
  if (doubt.failure !== null) return failJob(draft, env, job, doubt.failure, "fail", "outcome_unknown")
  const unfit = reason === "prepare_failed" || reason === "sentinel_failed"
  const held = broken ? "plugin_broken" : "rate_limited"
  return scheduleRetry(draft, env, job, failure, {
    reason: reaction._tag === "Hold" ? held : unfit ? "attempt_failed" : reason,
    dueAt: reaction.dueAt,
    delayMillis: reaction._tag === "Hold" ? reaction.dueAt - env.now : reaction.delayMillis,
    burned: reaction.burned,
    hold: doubt.hold,
    detail: doubt.asks
  })
}

/** Moves an agent whose job is over on to its tombstone: archive and clean come first where there is a workspace. */
export const closeAgent = (draft: Draft, env: Env, job: Job): Job => {
  const { agent } = job
  if (agent === null) return job
  if (agent.workspace !== null) {
    // Nobody here may touch the workspace: a host finds the closing agent by its row (R11).
    if (env.owner === null)
      return keepAgent(draft, job, agent, { standing: "closing", owner: null, phase: null })
    const archiving = keepAgent(draft, job, agent, { phase: "archive", owner: env.owner })
    draft.commands.push({ _tag: "Archive", job: archiving })
    return archiving
  }
  return tombstone(draft, env, job, agent, null)
}

/** The last move of an agent. `detail`: the tombstone's record of artifacts and of the workspace's fate, JSON text. */
export const tombstone = (
  draft: Draft,
  env: Env,
  job: Job,
  agent: Agent,
  detail: string | null,
  kept = false
): Job => {
  const patch = { disposition: dispositionOf(job.state), owner: null, phase: null, standing: null } as const
  const ended =
    agent.state === "landed"
      ? moveAgent(
          draft,
          env,
          job,
          agent,
          "clean",
          { reason: kept ? "workspace_kept" : "clean", detail },
          patch
        )
      : moveAgent(draft, env, job, agent, "tombstone", { reason: dispositionOf(job.state), detail }, patch)
  draft.commands.push({ _tag: "Forget", job: ended })
  return ended
}

/**
 * What follows when no fiber of an abandoned agent is left: it waits for its retry, or it is closed. `unlanded`: nobody knows whether
 * its landing happened (R27).
 */
export const settleAbandoned = (draft: Draft, env: Env, job: Job, agent: Agent, unlanded = false): Job => {
  if (isOver(job.state)) {
    return closeAgent(draft, env, keepAgent(draft, job, agent, { standing: "closing", phase: null }))
  }
  const standing = unlanded ? "landing_unknown" : "waiting"
  const waiting = keepAgent(draft, job, agent, { standing, owner: null, phase: null })
  draft.commands.push({ _tag: "Forget", job: waiting })
  return waiting
}

/**
 * Ends an attempt that failed: the commit that abandons the agent also moves its job (R1). While the fiber still lives (`ended`
 * false) the agent keeps owner and slot, and its interruption follows.
 */
export const failAttempt = (
  draft: Draft,
  env: Env,
  job: Job,
  failure: Failure,
  reason: AbandonReason,
  ended: boolean
): void => {
  const moved = reactJob(draft, env, job, failure, reason)
  const { agent } = moved
  // What was turned down, or took too long to be looked at, is worked on again: no later incarnation takes it for done (R5). Where the gate
  // is broken, nobody has turned anything down: the gate alone is asked again (R25).
  const unjudged = reason === "plugin_broken" && !isOver(moved.state)
  if ((agent?.phase === "verify" && !unjudged) || agent?.phase === "land")
    mark(change(draft, moved), {
      name: "commit",
      state: "cleared",
      incarnation: agent.incarnation,
      at: env.now,
      result: null
    })
  abandon(draft, env, moved, reason, failure.code, ended)
}

/** Abandons the agent of a job that has been moved already. `unlanded` as for `settleAbandoned`. */
export const abandon = (
  draft: Draft,
  env: Env,
  job: Job,
  reason: AbandonReason,
  errorCode: string | null,
  ended: boolean,
  unlanded = false
): void => {
  const { agent } = job
  if (agent === null) return
  const abandoned = moveAgent(
    draft,
    env,
    job,
    agent,
    "abandon",
    { reason, errorCode },
    { standing: "ending" }
  )
  if (abandoned.agent === null) return
  if (ended) settleAbandoned(draft, env, abandoned, abandoned.agent, unlanded)
  else draft.commands.push({ _tag: "Interrupt", seq: job.seq, incarnation: agent.incarnation })
}
