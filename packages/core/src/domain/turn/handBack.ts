/**
 * Handing a job back without burning an attempt: its host stops or is lost, or its incarnation may not go on. What is lost with a host counts
 * in the restart budget (R2).
 */
import type { Agent } from "../Agent.ts"
import type { Failure } from "../Failure.ts"
import type { Job } from "../Job.ts"
import * as RestartBudget from "../RestartBudget.ts"
import { doubtOf } from "./doubt.ts"
import type { Draft } from "./Draft.ts"
import { abandon, failJob } from "./ending.ts"
import type { Env } from "./Env.ts"
import { keepAgent, moveJob } from "./move.ts"

const lost = (message: string): Failure => ({
  code: "ORCH_RETRYABLE_AGENT_CRASHED",
  message,
  detail: null,
  retryAfterMillis: null,
  cause: null
})

/** Counts a recovery that burns no attempt; `exhausted`: one too many in its window. */
export const spendRestart = (draft: Draft, env: Env, job: Job, agent: Agent) => {
  const policy = env.workflows.get(job.workflowType)?.restarts ?? { restarts: 5, windowMillis: 600_000 }
  const { exhausted, window } = RestartBudget.record(agent.restarts, env.now, policy)
  return { exhausted, counted: keepAgent(draft, job, agent, { restarts: window }), count: window.length }
}

const detailOf = (members: object): string | null =>
  Object.keys(members).length === 0 ? null : JSON.stringify(members)

/** Moves the job back into the queue, due now; a step in doubt parks it, or ends it. */
export const handBack = (draft: Draft, env: Env, job: Job, reason: "host_lost" | "host_shutdown"): Job => {
  const failure = lost(reason === "host_lost" ? "its host was lost" : "its host was shut down")
  const doubt = doubtOf(env, job, failure)
  if (doubt.failure !== null) return failJob(draft, env, job, doubt.failure, "fail", "outcome_unknown")
  const note = { reason, detail: detailOf(doubt.asks) }
  const patch = { runAt: env.now, hold: doubt.hold }
  if (reason === "host_shutdown" || job.agent === null)
    return moveJob(draft, env, job, "schedule_retry", note, patch)
  const { counted, exhausted } = spendRestart(draft, env, job, job.agent)
  return exhausted
    ? failJob(draft, env, counted, failure, "fail", "restart_budget_exhausted", true)
    : moveJob(draft, env, counted, "schedule_retry", note, patch)
}

/** Ends an incarnation because of a step that its predecessor has left open (R31); unburned, since this one has done nothing wrong. */
export const endInDoubt = (draft: Draft, env: Env, job: Job): void => {
  const { asks, failure, hold } = doubtOf(env, job, lost("a job that it replays has begun it"))
  const reason = "outcome_unknown"
  const moved =
    failure === null
      ? moveJob(
          draft,
          env,
          job,
          "schedule_retry",
          { reason, detail: detailOf(asks) },
          { runAt: env.now, hold }
        )
      : failJob(draft, env, job, failure, "fail", reason)
  abandon(draft, env, moved, reason, failure?.code ?? null, false)
}
