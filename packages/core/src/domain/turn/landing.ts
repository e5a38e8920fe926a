/**
 * Bringing work home: what follows on work and verification that went well, the landing itself, and landings of which nobody knows whether
 * they happened (R26, R27).
 */
import type { Agent } from "../Agent.ts"
import type { AbandonReason } from "../AgentMachine.ts"
import { defaults } from "../Defaults.ts"
import type { Failure } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { tellBreaker } from "./breakers.ts"
import { cancelAbsent } from "./cancel.ts"
import { change, type Draft, mark } from "./Draft.ts"
import { abandon, closeAgent, failJob, scheduleRetry } from "./ending.ts"
import type { Env } from "./Env.ts"
import { spendRestart } from "./handBack.ts"
import { keepAgent, moveAgent, moveJob } from "./move.ts"

/** The definition of done holds: the agent lands and its job completes in one commit (R1). */
export const land = (
  draft: Draft,
  env: Env,
  job: Job,
  agent: Agent,
  result: string,
  reference: string | null
): void => {
  const detail = reference === null ? null : JSON.stringify({ reference })
  const landed = moveAgent(
    draft,
    env,
    job,
    agent,
    "land",
    { reason: "commit_verified", detail },
    { phase: null, standing: null }
  )
  const completed = moveJob(draft, env, landed, "complete", { reason: "landed" })
  change(draft, completed).result = result
  tellBreaker(draft, env, completed, "success")
  closeAgent(draft, env, completed)
}

/**
 * The next phase that has a plugin, or home. Finished work is a finished step: its result is kept, and the restart budget begins anew (R2).
 * `recalled`: it was finished by an earlier incarnation, whose gates were interrupted (R5).
 */
export const proceed = (
  draft: Draft,
  env: Env,
  job: Job,
  agent: Agent,
  result: string,
  after: "work" | "verify",
  recalled = false
): void => {
  const policy = env.workflows.get(job.workflowType)
  const next = after === "work" && policy?.gates === true ? "verify" : policy?.lander === true ? "land" : null
  if (next === null) {
    land(draft, env, job, agent, result, null)
    return
  }
  const fresh = after === "work" && !recalled
  if (fresh)
    mark(change(draft, job), {
      name: "commit",
      state: "finished",
      incarnation: agent.incarnation,
      at: env.now,
      result
    })
  const restarts = fresh ? [] : agent.restarts
  const entering = keepAgent(draft, job, agent, { phase: next, restarts })
  draft.commands.push({ _tag: next === "verify" ? "Verify" : "Land", job: entering, result })
}

const waitMillis = (count: number): number =>
  Math.min(defaults.reconcile.maxMillis, defaults.reconcile.baseMillis * 2 ** (count - 1))

/**
 * A landing of which nobody knows whether it happened: its lander is asked before anything else is done, at once if its host was lost, else
 * after a while. Each asking counts in the restart budget; then an operator has to look at the target. While the landing's fiber still
 * lives (`ended` false) it is interrupted first.
 */
export const doubtLanding = (
  draft: Draft,
  env: Env,
  job: Job,
  agent: Agent,
  cause: Failure,
  reason: AbandonReason,
  ended: boolean
): void => {
  const failure = { ...cause, code: "ORCH_LANDING_UNKNOWN", retryAfterMillis: null } as const
  const { count, counted, exhausted } = spendRestart(draft, env, job, agent)
  if (exhausted) {
    const failed = failJob(draft, env, counted, failure, "fail", "restart_budget_exhausted")
    abandon(draft, env, failed, reason, failure.code, ended)
    return
  }
  const wait = reason === "host_lost" ? 0 : waitMillis(count)
  const jobReason = reason === "host_lost" ? "host_lost" : "landing_unknown"
  const moved = scheduleRetry(draft, env, counted, failure, {
    reason: jobReason,
    dueAt: env.now + wait,
    delayMillis: wait,
    burned: false,
    hold: null,
    detail: {}
  })
  abandon(draft, env, moved, reason, failure.code, ended, true)
}

/** The lander knows that the order has not landed: it lands now, unless somebody wants it cancelled. */
export const landAbsent = (draft: Draft, env: Env, job: Job, agent: Agent, result: string): void => {
  if (cancelAbsent(draft, env, job)) return
  draft.commands.push({ _tag: "Land", job: keepAgent(draft, job, agent, { standing: null }), result })
}
