/**
 * How an attempt ends without landing: the reaction to its code moves the job, the agent is abandoned, and when the job is over, the
 * agent is closed: archived, tombstoned, cleaned, in this order.
 */
import type { Agent } from "../Agent.ts"
import type { AbandonReason } from "../AgentMachine.ts"
import { dispositionOf } from "../Disposition.ts"
import { draw } from "../Draw.ts"
import { OutcomeUnknown } from "../errors/AttemptErrors.ts"
import { type Failure, fromError } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { askAbout } from "../JobHold.ts"
import { isOver } from "../JobMachine.ts"
import { react } from "../Reaction.ts"
import * as RestartBudget from "../RestartBudget.ts"
import { tellBreaker } from "./breakers.ts"
import { change, type Draft } from "./Draft.ts"
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

/** Ends an incarnation because of a step that its predecessor has left open (R31); unburned, since this one has done nothing wrong. */
export const endInDoubt = (draft: Draft, env: Env, job: Job): void => {
  const cause = lost("a job that it replays has begun it")
  const { failure, hold } = unknownOutcome(env, job, cause)
  const moved =
    failure === null
      ? moveJob(
          draft,
          env,
          job,
          "schedule_retry",
          { reason: "outcome_unknown", detail: JSON.stringify({ asks: job.agent?.steps }) },
          { runAt: env.now, hold }
        )
      : failJob(draft, env, job, failure, "fail", "outcome_unknown")
  abandon(draft, env, moved, "outcome_unknown", failure?.code ?? null, false)
}

/**
 * What follows from the steps that an ending incarnation has started and not finished (R28): the job can't go on (`fail`), or waits for an
 * operator with the hold (null: it waits for nobody).
 */
const unknownOutcome = (env: Env, { agent, jobId, workflowType }: Job, cause: Failure) => {
  const steps = agent?.steps ?? []
  const policy = env.workflows.get(workflowType)?.unknownOutcome ?? "ask"
  const failure =
    steps.length > 0 && policy === "fail"
      ? fromError(new OutcomeUnknown({ jobId, markers: steps, detail: cause.message }))
      : null
  return { failure, hold: policy === "ask" ? askAbout(steps, env.now) : null }
}

/** Schedules the next attempt and writes its row of the retry log. `burned` attempts count against the budget. */
const scheduleRetry = (
  draft: Draft,
  env: Env,
  job: Job,
  failure: Failure,
  reason: string,
  dueAt: number,
  delayMillis: number,
  burned: boolean,
  hold: string | null
): Job => {
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
  return moveJob(
    draft,
    env,
    job,
    "schedule_retry",
    {
      reason,
      errorCode: failure.code,
      detail: JSON.stringify({
        delay_ms: delayMillis,
        message: failure.message,
        ...(hold === null ? {} : { asks: job.agent?.steps })
      })
    },
    { runAt: dueAt, retryCount, lastErrorCode: failure.code, hold }
  )
}

/** Reacts to the failure of a counting attempt by its code (seed, "Error Handling Integration"; R2, R3). */
const reactJob = (draft: Draft, env: Env, job: Job, failure: Failure, reason: AbandonReason): Job => {
  const burned = job.retryCount + 1
  const reaction = react(env.catalogue, {
    code: failure.code,
    burned,
    maxRetries: job.maxRetries,
    retryAfterMillis: failure.retryAfterMillis,
    now: env.now,
    draw: draw(env.seed, job.seq, burned),
    ...(wasSound(env, job, reason) ? { attemptIndex: 0 } : {})
  })
  tellBreaker(draft, env, job, endOf(reaction))
  const unknown = unknownOutcome(env, job, failure)
  if (reaction._tag !== "Fail" && unknown.failure !== null)
    return failJob(draft, env, job, unknown.failure, "fail", "outcome_unknown")
  const jobReason = reason === "prepare_failed" || reason === "sentinel_failed" ? "attempt_failed" : reason
  switch (reaction._tag) {
    case "Retry":
      return scheduleRetry(
        draft,
        env,
        job,
        failure,
        jobReason,
        reaction.dueAt,
        reaction.delayMillis,
        true,
        unknown.hold
      )
    case "Hold":
      return scheduleRetry(
        draft,
        env,
        job,
        failure,
        "rate_limited",
        reaction.dueAt,
        reaction.dueAt - env.now,
        false,
        unknown.hold
      )
    case "Fail":
      return reaction.exhausted
        ? failJob(draft, env, job, failure, "fail", "retry_budget_exhausted", true)
        : failJob(draft, env, job, failure, "fail", "permanent_error")
  }
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

/** What follows when no fiber of an abandoned agent is left: it waits for its retry, or it is closed. */
export const settleAbandoned = (draft: Draft, env: Env, job: Job, agent: Agent): Job => {
  if (isOver(job.state)) {
    return closeAgent(draft, env, keepAgent(draft, job, agent, { standing: "closing", phase: null }))
  }
  const waiting = keepAgent(draft, job, agent, { standing: "waiting", owner: null, phase: null })
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
  abandon(draft, env, moved, reason, failure.code, ended)
}

/** Abandons the agent of a job that has been moved already. */
export const abandon = (
  draft: Draft,
  env: Env,
  job: Job,
  reason: AbandonReason,
  errorCode: string | null,
  ended: boolean
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
  if (ended) settleAbandoned(draft, env, abandoned, abandoned.agent)
  else draft.commands.push({ _tag: "Interrupt", seq: job.seq, incarnation: agent.incarnation })
}

const lost = (message: string): Failure => ({
  code: "ORCH_RETRYABLE_AGENT_CRASHED",
  message,
  detail: null,
  retryAfterMillis: null,
  cause: null
})

/** Hands a job back without burning an attempt, due now; what is lost with a host counts in the restart budget (R2). */
export const handBack = (draft: Draft, env: Env, job: Job, reason: "host_lost" | "host_shutdown"): Job => {
  const failure = lost(reason === "host_lost" ? "its host was lost" : "its host was shut down")
  const unknown = unknownOutcome(env, job, failure)
  const patch = { runAt: env.now, hold: unknown.hold }
  const detail = unknown.hold === null ? null : JSON.stringify({ asks: job.agent?.steps })
  if (unknown.failure !== null) return failJob(draft, env, job, unknown.failure, "fail", "outcome_unknown")
  if (reason === "host_shutdown" || job.agent === null)
    return moveJob(draft, env, job, "schedule_retry", { reason, detail }, patch)
  const policy = env.workflows.get(job.workflowType)?.restarts ?? { restarts: 5, windowMillis: 600_000 }
  const { exhausted, window } = RestartBudget.record(job.agent.restarts, env.now, policy)
  const counted = keepAgent(draft, job, job.agent, { restarts: window })
  return exhausted
    ? failJob(draft, env, counted, failure, "fail", "restart_budget_exhausted", true)
    : moveJob(draft, env, counted, "schedule_retry", { reason, detail }, patch)
}
