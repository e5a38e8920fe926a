/**
 * The decision: from the draft of this turn, one signal and the environment to changes and commands. The same inputs give
 * the same decision; a model checker runs this very function.
 */
import type { Agent } from "../Agent.ts"
import type { Failure } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { adopt } from "./adopt.ts"
import { cancel, cancelRejected } from "./cancel.ts"
import { bury } from "./damaged.ts"
import { change, current, type Draft } from "./Draft.ts"
import { failAttempt, settleAbandoned, tombstone } from "./ending.ts"
import type { Env } from "./Env.ts"
import { isExpected } from "./expected.ts"
import { doubtLanding, land, landAbsent, proceed } from "./landing.ts"
import { decideMarker } from "./markers.ts"
import { keepAgent, moveAgent, noteLate } from "./move.ts"
import { noteReflection } from "./reflect.ts"
import { settle } from "./settle.ts"
import type { Signal } from "./Signal.ts"
import { stop } from "./stopping.ts"

type FromIncarnation = Extract<Signal, { readonly incarnation: number }>

const isCrash = (failure: Failure): boolean => failure.code === "ORCH_RETRYABLE_AGENT_CRASHED"

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
      proceed(draft, env, job, agent, signal.result, "work", signal.recalled)
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
    case "LandingAbsent":
      landAbsent(draft, env, job, agent, signal.result)
      return
    case "LandingUnknown":
      doubtLanding(draft, env, job, agent, signal.failure, "landing_unknown", true)
      return
    case "Overdue":
      // A landing that doesn't answer may have happened (R27).
      if (agent.phase === "land") doubtLanding(draft, env, job, agent, signal.failure, signal.why, false)
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
      settleAbandoned(draft, env, ended, ended.agent ?? agent, agent.phase === "land")
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
      settleAbandoned(draft, env, job, agent, agent.phase === "land")
  }
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
    case "Reflected":
      noteReflection(draft, env, signal.reflected)
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
