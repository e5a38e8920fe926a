/**
 * The storm breakers in a turn: they hear how attempts end, one probe half-opens them, and whatever they do is written and noted in the
 * commit of the attempt that made them do it.
 */
import * as Breaker from "../Breaker.ts"
import { defaults } from "../Defaults.ts"
import type { Job } from "../Job.ts"
import type { Draft } from "./Draft.ts"
import type { Env } from "./Env.ts"

const policyOf = (env: Env, workflow: string): Breaker.BreakerPolicy =>
  env.workflows.get(workflow)?.breaker ?? defaults.breaker

const events = { open: "breaker_open", half_open: "breaker_half_open", closed: "breaker_closed" } as const

/** Keeps what the breaker has become; a change of its state, or of its probe's time, is written and noted. */
const put = (draft: Draft, env: Env, workflow: string, next: Breaker.Breaker, reason: string): void => {
  const before = draft.breakers.get(workflow) ?? Breaker.untripped
  if (next === before) return
  draft.breakers.set(workflow, next)
  if (next.state === before.state && next.at === before.at) return
  draft.tripped.add(workflow)
  draft.notes.push({
    seq: null,
    subjectKind: "host",
    event: events[next.state],
    fromState: null,
    toState: null,
    transitionReason: reason,
    errorCode: null,
    actor: env.actor,
    occurredAt: env.now,
    incarnation: 0,
    detail: JSON.stringify({
      workflow_type: workflow,
      failures: next.state === "closed" ? before.failures : next.failures,
      opened_at: next.openedAt ?? before.openedAt,
      probe_at: next.probeAt
    })
  })
}

const reasons = {
  success: "probe_succeeded",
  failure: "probe_failed",
  held: "probe_held",
  other: "probe_inconclusive"
} as const

/** Tells the breaker of the job's workflow how an attempt has ended. */
export const tellBreaker = (draft: Draft, env: Env, job: Job, end: Breaker.AttemptEnd): void => {
  const { seq, workflowType } = job
  const breaker = draft.breakers.get(workflowType) ?? Breaker.untripped
  const policy = policyOf(env, workflowType)
  if (breaker.state !== "closed")
    put(draft, env, workflowType, Breaker.endProbe(breaker, seq, end, env.now, policy), reasons[end])
  else if (end === "success" || end === "failure")
    put(draft, env, workflowType, Breaker.record(breaker, end, env.now, policy), "attempts_failing")
}

/** The job was taken as the probe of its workflow's breaker. */
export const probeBreaker = (draft: Draft, env: Env, { seq, workflowType }: Job): void => {
  const breaker = draft.breakers.get(workflowType) ?? Breaker.untripped
  const probing = Breaker.sendProbe(breaker, seq, env.now, defaults.soundMillis)
  put(draft, env, workflowType, probing, "probe_started")
}

/**
 * Looks after the probes of this host once all signals are decided: one that no longer works here and has told nothing (it was cancelled,
 * handed back or parked) is inconclusive, and one that has worked for long enough is sound.
 */
export const settleProbes = (draft: Draft, env: Env): void => {
  for (const [workflow, breaker] of draft.breakers) {
    const { probe, probeAt } = breaker
    if (probe === null) continue
    const agent = draft.owned.get(probe)?.agent
    const works = agent?.state === "dispatched" || agent?.state === "working"
    if (!works)
      put(
        draft,
        env,
        workflow,
        Breaker.endProbe(breaker, probe, "other", env.now, policyOf(env, workflow)),
        reasons.other
      )
    else if (probeAt !== null && env.now >= probeAt)
      put(
        draft,
        env,
        workflow,
        Breaker.endProbe(breaker, probe, "success", env.now, policyOf(env, workflow)),
        "probe_sound"
      )
  }
}

/** A lost host's work of a half-open workflow may be the probe: its end will never be told. */
export const loseProbe = (draft: Draft, env: Env, { workflowType }: Job): void => {
  const breaker = draft.breakers.get(workflowType)
  if (breaker === undefined || breaker.state !== "half_open" || breaker.probe !== null) return
  const reopened: Breaker.Breaker = { ...breaker, state: "open", probeAt: env.now, at: env.now }
  put(draft, env, workflowType, reopened, "probe_lost")
}
