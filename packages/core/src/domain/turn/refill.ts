/**
 * Taking a runnable job into a free slot, in one decision (R9): validate, accept or reject, dispatch; or retry and recover.
 */
import { Result } from "effect"
import type { Agent } from "../Agent.ts"
import { StateMachineInvariantBroken } from "../errors/LifecycleErrors.ts"
import { type Failure, fromError, fromMismatch } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { change, type Draft } from "./Draft.ts"
import { closeAgent, failJob } from "./ending.ts"
import type { Env } from "./Env.ts"
import { dispatchAgent, keepAgent, moveAgent, moveJob } from "./move.ts"

/** A job that was once accepted has an agent; one that has none is damaged and walks to its letter (R18). */
const agentless = (job: Job): Failure =>
  fromError(
    new StateMachineInvariantBroken({
      invariant: "a job that was accepted has an agent",
      subject: `job:${job.jobId}`,
      detail: `it is ${job.state} without one`
    })
  )

/** Starts the incarnation's first phase: the workspace if the workflow has one, else the work itself. */
const begin = (
  draft: Draft,
  env: Env,
  job: Job,
  agent: Agent,
  payload: unknown,
  payloadJson: string
): void => {
  const workspace = env.workflows.get(job.workflowType)?.workspace ?? false
  if (workspace) {
    draft.commands.push({
      _tag: "Prepare",
      job: keepAgent(draft, job, agent, { phase: "prepare" }),
      payload,
      payloadJson
    })
    return
  }
  const working =
    agent.state === "dispatched"
      ? moveAgent(draft, env, job, agent, "prepare", { reason: "prepared" }, { phase: "work" })
      : keepAgent(draft, job, agent, { phase: "work" })
  draft.commands.push({ _tag: "Begin", job: working, payload, payloadJson })
}

/**
 * Decides on one peeked job: unowned, due and served here. A job that another host takes in the same moment is left out of the commit.
 */
export const refill = (draft: Draft, env: Env, peeked: Job, payloadJson: string): void => {
  const policy = env.workflows.get(peeked.workflowType)
  // The peek reads what is committed: a job that this turn has moved already is not for taking.
  if (policy === undefined || env.owner === null || draft.changes.has(peeked.seq)) return
  change(draft, peeked, true)
  const decoded = policy.decodePayload(payloadJson)
  if (peeked.state === "PENDING") {
    const validating = moveJob(draft, env, peeked, "validate", { reason: "slot_free" })
    if (Result.isFailure(decoded)) {
      failJob(
        draft,
        env,
        validating,
        fromMismatch(peeked.workflowType, decoded.failure),
        "reject",
        "payload_invalid"
      )
      return
    }
    const accepted = moveJob(draft, env, validating, "accept", { reason: "payload_valid" })
    const agent: Agent = {
      state: "dispatched",
      incarnation: 1,
      owner: env.owner,
      standing: null,
      phase: "prepare",
      hung: false,
      restarts: [],
      steps: [],
      workspace: null,
      disposition: null
    }
    begin(draft, env, dispatchAgent(draft, env, accepted, agent), agent, decoded.success, payloadJson)
    return
  }
  const retried = moveJob(draft, env, peeked, "retry", { reason: "due" })
  if (peeked.agent === null) {
    failJob(draft, env, retried, agentless(peeked), "fail", "invariant_broken")
    return
  }
  const unlanded = peeked.agent.standing === "landing_unknown"
  const abandoned = peeked.agent.hung && !unlanded ? peeked.agent.workspace : null
  // A hung life may still write there, so nobody removes it; the story names where it is (R30).
  const left = abandoned === null ? null : JSON.stringify({ left_workspace: abandoned })
  const recovered = moveAgent(
    draft,
    env,
    retried,
    peeked.agent,
    "recover",
    { reason: "recover", detail: left },
    {
      incarnation: peeked.agent.incarnation + 1,
      owner: env.owner,
      standing: unlanded ? "landing_unknown" : null,
      phase: unlanded ? "land" : "prepare",
      // The hung life keeps its workspace to itself: the new one gets another path (R5). A landing writes nothing there.
      workspace: peeked.agent.hung && !unlanded ? null : peeked.agent.workspace,
      hung: false
    }
  )
  const agent = recovered.agent
  if (agent === null) return
  if (unlanded) {
    // Its lander is asked with what there is: a payload that no longer decodes doesn't undo a landing.
    const payload = Result.getOrElse(decoded, () => null)
    draft.commands.push({ _tag: "Reconcile", job: recovered, payload, payloadJson })
    return
  }
  if (Result.isFailure(decoded)) {
    // The workflow's schema has changed since the job was accepted.
    const failure = fromMismatch(peeked.workflowType, decoded.failure)
    const failed = failJob(draft, env, recovered, failure, "fail", "permanent_error")
    closeAgent(
      draft,
      env,
      moveAgent(
        draft,
        env,
        failed,
        agent,
        "abandon",
        { reason: "attempt_failed", errorCode: failure.code },
        {
          standing: "closing",
          phase: null
        }
      )
    )
    return
  }
  begin(draft, env, recovered, agent, decoded.success, payloadJson)
}
