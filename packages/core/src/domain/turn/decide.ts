/**
 * The decision: from the draft of this turn, one signal and the environment to changes and commands. The same inputs give
 * the same decision; a model checker runs this very function.
 */
import type { Agent } from "../Agent.ts"
import type { AbandonReason } from "../AgentMachine.ts"
import { LandingUnknown } from "../errors/AttemptErrors.ts"
import { type Failure, fromError } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { isOver } from "../JobMachine.ts"
import { loseProbe, tellBreaker } from "./breakers.ts"
import { cancel, cancelRejected } from "./cancel.ts"
import { bury } from "./damaged.ts"
import { change, current, type Draft } from "./Draft.ts"
import { abandon, closeAgent, failAttempt, failJob, handBack, settleAbandoned, tombstone } from "./ending.ts"
import type { Env } from "./Env.ts"
import { isExpected } from "./expected.ts"
import { decideMarker } from "./markers.ts"
import { keepAgent, moveAgent, moveJob, noteLate } from "./move.ts"
import { settle } from "./settle.ts"
import type { Signal } from "./Signal.ts"
import { stop } from "./stopping.ts"

type FromIncarnation = Extract<Signal, { readonly incarnation: number }>

const isCrash = (failure: Failure): boolean => failure.code === "ORCH_RETRYABLE_AGENT_CRASHED"

/** The definition of done holds: the agent lands and its job completes in one commit (R1). */
const land = (
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
    { phase: null }
  )
  const completed = moveJob(draft, env, landed, "complete", { reason: "landed" })
  change(draft, completed).result = result
  tellBreaker(draft, env, completed, "success")
  closeAgent(draft, env, completed)
}

/** A landing of which nobody knows whether it happened ends its job: an operator looks at the target (R27). */
const quarantineLanding = (
  draft: Draft,
  env: Env,
  job: Job,
  cause: Failure,
  reason: AbandonReason,
  ended: boolean
): void => {
  const failure = { ...cause, code: "ORCH_LANDING_UNKNOWN" } as const
  abandon(
    draft,
    env,
    failJob(draft, env, job, failure, "fail", "permanent_error"),
    reason,
    failure.code,
    ended
  )
}

/** What follows on work or verification that went well: the next phase that has a plugin, or home. */
const proceed = (
  draft: Draft,
  env: Env,
  job: Job,
  agent: Agent,
  result: string,
  after: "work" | "verify"
): void => {
  const policy = env.workflows.get(job.workflowType)
  const next = after === "work" && policy?.gates === true ? "verify" : policy?.lander === true ? "land" : null
  if (next === null) {
    land(draft, env, job, agent, result, null)
    return
  }
  if (after === "work") {
    change(draft, job).markers.push({
      name: "commit",
      state: "finished",
      incarnation: agent.incarnation,
      at: env.now,
      result
    })
  }
  const entering = keepAgent(draft, job, agent, { phase: next })
  draft.commands.push({ _tag: next === "verify" ? "Verify" : "Land", job: entering, result })
}

/** A signal of the living incarnation, in the phase that it speaks of; anything else was noted as late before. */
const decideLiving = (draft: Draft, env: Env, job: Job, agent: Agent, signal: FromIncarnation): void => {
  switch (signal._tag) {
    case "Prepared": {
      const patch = { phase: "work", workspace: signal.workspace } as const
      const working =
        agent.state === "dispatched"
          ? moveAgent(draft, env, job, agent, "prepare", { reason: "prepared" }, patch)
          : keepAgent(draft, job, agent, patch)
      draft.commands.push({ _tag: "Work", job: working })
      return
    }
    case "PrepareFailed": {
      const kept = keepAgent(draft, job, agent, { workspace: signal.workspace ?? agent.workspace })
      failAttempt(draft, env, kept, signal.failure, `${signal.phase}_failed`, true)
      return
    }
    case "Worked":
      proceed(draft, env, job, agent, signal.result, "work")
      return
    case "WorkFailed":
      failAttempt(
        draft,
        env,
        job,
        signal.failure,
        isCrash(signal.failure) ? "crashed" : "attempt_failed",
        true
      )
      return
    case "Verified":
      proceed(draft, env, job, agent, signal.result, "verify")
      return
    case "VerifyFailed": {
      const broken = signal.failure.code === "ORCH_PLUGIN_FAILED"
      failAttempt(draft, env, job, signal.failure, broken ? "plugin_broken" : "gate_rejected", true)
      return
    }
    case "LandingDone":
      land(draft, env, job, agent, signal.result, signal.reference)
      return
    case "LandingRejected":
      if (!cancelRejected(draft, env, job, signal.failure))
        failAttempt(draft, env, job, signal.failure, "landing_rejected", true)
      return
    case "LandingUnknown":
      quarantineLanding(draft, env, job, signal.failure, "landing_rejected", true)
      return
    case "Overdue":
      // A landing that doesn't answer may have happened: it must not be repeated (R27).
      if (agent.phase === "land") quarantineLanding(draft, env, job, signal.failure, signal.why, false)
      else failAttempt(draft, env, job, signal.failure, signal.why, false)
      return
    case "Ended":
    case "Hung":
    case "Archived":
    case "Cleaned":
    case "MarkerStarted":
    case "MarkerFinished":
      // Never expected of a living incarnation.
      return
  }
}

/** A signal about an agent that is on its way out: abandoned and ending, or closing, or landed and being cleaned. */
const decideLeaving = (draft: Draft, env: Env, job: Job, agent: Agent, signal: FromIncarnation): void => {
  switch (signal._tag) {
    case "Archived": {
      change(draft, job).markers.push({
        name: "archive",
        state: "finished",
        incarnation: agent.incarnation,
        at: env.now,
        result: JSON.stringify(signal.artifacts)
      })
      draft.commands.push({ _tag: "Clean", job: keepAgent(draft, job, agent, { phase: "clean" }) })
      return
    }
    case "Cleaned": {
      const kept = signal.fate._tag === "Kept"
      const detail = JSON.stringify(
        signal.fate._tag === "Kept"
          ? { workspace: "kept", at: signal.fate.at, reason: signal.fate.reason }
          : { workspace: "removed" }
      )
      const placed = keepAgent(draft, job, agent, { workspace: kept ? agent.workspace : null })
      tombstone(draft, env, placed, placed.agent ?? agent, detail, kept)
      return
    }
    case "Hung":
    case "Ended": {
      const workspace = signal.workspace ?? agent.workspace
      const ended = keepAgent(draft, job, agent, { hung: signal._tag === "Hung", workspace })
      settleAbandoned(draft, env, ended, ended.agent ?? agent)
      return
    }
    case "Overdue":
      noteLate(draft, env, job.seq, signal.incarnation, "late_completion", "already_abandoned")
      return
    case "Prepared":
    case "PrepareFailed": {
      noteLate(draft, env, job.seq, signal.incarnation, "late_completion", "already_abandoned")
      // What it has made is there all the same: whoever goes on, or cleans, has to know of it.
      const placed = keepAgent(draft, job, agent, { workspace: signal.workspace ?? agent.workspace })
      settleAbandoned(draft, env, placed, placed.agent ?? agent)
      return
    }
    default:
      // It ended by itself while its interruption was under way: its finalisers are done all the same.
      noteLate(draft, env, job.seq, signal.incarnation, "late_completion", "already_abandoned")
      settleAbandoned(draft, env, job, agent)
  }
}

/** A row that an ended epoch owns: its work is handed back, or what it still owes is taken over (R11, R23). */
const adopt = (draft: Draft, env: Env, job: Job): void => {
  const { agent } = job
  if (agent === null) return
  // Another host may adopt it in this moment.
  change(draft, job, true)
  if (agent.state === "dispatched" || agent.state === "working") loseProbe(draft, env, job)
  if (agent.state === "landed" || (agent.state === "abandoned" && isOver(job.state))) {
    const cleaning = agent.phase === "clean"
    const adopted = keepAgent(draft, job, agent, {
      incarnation: agent.incarnation + 1,
      owner: env.owner,
      standing: agent.state === "landed" ? null : "closing",
      phase: cleaning ? "clean" : null
    })
    // A teardown that has begun goes on: archiving its ruins would overwrite what was archived of the whole.
    if (cleaning) draft.commands.push({ _tag: "Clean", job: adopted })
    else closeAgent(draft, env, adopted)
    return
  }
  if (agent.state === "abandoned") {
    keepAgent(draft, job, agent, { standing: "waiting", owner: null, phase: null })
    return
  }
  if (agent.phase === "land") {
    const cause = fromError(
      new LandingUnknown({ jobId: job.jobId, lander: "unknown", detail: "its host was lost" })
    )
    quarantineLanding(draft, env, job, cause, "host_lost", true)
    return
  }
  abandon(draft, env, handBack(draft, env, job, "host_lost"), "host_lost", null, true)
}

/** Decides on one signal, into the draft. */
export const decide = (draft: Draft, signal: Signal, env: Env): void => {
  switch (signal._tag) {
    case "CancelWanted":
      cancel(draft, env, current(draft, signal.job.seq) ?? signal.job, signal)
      return
    case "IntentsEnded":
      draft.settled.push(...signal.settled, ...(draft.owned.size === 0 ? signal.whenIdle : []))
      return
    case "SettleWanted":
      settle(draft, env, current(draft, signal.job.seq) ?? signal.job, signal)
      return
    case "MarkerStarted":
    case "MarkerFinished":
      decideMarker(draft, env, signal)
      return
    case "Orphaned":
      // A row that this host has adopted already, or has moved in this turn, is no orphan: the signal came twice.
      if (current(draft, signal.job.seq) === undefined) adopt(draft, env, signal.job)
      return
    case "Damaged":
      if (current(draft, signal.damaged.seq) === undefined) bury(draft, env, signal.damaged)
      return
    case "Stopping":
      stop(draft, env)
      return
    default: {
      const job = draft.owned.get(signal.seq)
      const agent = job?.agent
      if (
        job === undefined ||
        agent === null ||
        agent === undefined ||
        agent.incarnation !== signal.incarnation
      ) {
        noteLate(draft, env, signal.seq, signal.incarnation, "late_completion", "stale_incarnation")
        return
      }
      const living = agent.state === "dispatched" || agent.state === "working"
      if (!isExpected(agent, signal)) {
        if (living) noteLate(draft, env, job.seq, signal.incarnation, "refused_message", "not_expected")
        else noteLate(draft, env, job.seq, signal.incarnation, "late_completion", "already_abandoned")
      } else if (living) decideLiving(draft, env, job, agent, signal)
      else decideLeaving(draft, env, job, agent, signal)
    }
  }
}
