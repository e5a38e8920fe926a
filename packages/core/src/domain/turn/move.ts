/**
 * The only hands that move a job or an agent: each takes an edge of the table and writes its event into the draft (law 2).
 */
import { Result } from "effect"
import { type Agent, holdsSlot } from "../Agent.ts"
import { AgentMachine, type AgentMove } from "../AgentMachine.ts"
import type { Job } from "../Job.ts"
import { JobMachine, type JobMove } from "../JobMachine.ts"
import type { EventDraft } from "../LifecycleEvent.ts"
import * as Machine from "../Machine.ts"
import { type Change, change, type Draft } from "./Draft.ts"
import type { Env } from "./Env.ts"

/** What a move says beside its edge. */
interface Note {
  readonly reason: string
  readonly actor?: string
  readonly errorCode?: string | null
  /** JSON text. */
  readonly detail?: string | null
}

/** What the move changes in the row beside the state. */
type JobPatch = Partial<Omit<Job, "seq" | "jobId" | "version" | "state" | "agent">>
type AgentPatch = Partial<Omit<Agent, "state">>

/** Writes the job into its change and, while this host owns it, into the draft's owned jobs. */
export const put = (draft: Draft, entry: Change, job: Job): Job => {
  const next = job.version === entry.version ? { ...job, version: entry.version + 1 } : job
  entry.job = next
  if (next.agent !== null && next.agent.owner !== null) draft.owned.set(next.seq, next)
  else draft.owned.delete(next.seq)
  return next
}

const record = (
  entry: Change,
  env: Env,
  subjectKind: "job" | "agent",
  event: string,
  fromState: string | null,
  toState: string,
  incarnation: number,
  at: number,
  note: Note
): void => {
  const draft: EventDraft = {
    subjectKind,
    event,
    fromState,
    toState,
    transitionReason: note.reason,
    errorCode: note.errorCode ?? null,
    actor: note.actor ?? env.actor,
    occurredAt: at,
    incarnation,
    detail: note.detail ?? null
  }
  entry.events.push(draft)
}

/** A clock that was set back doesn't reorder a job's story (R12). */
const instant = (env: Env, job: Job): number => Math.max(env.now, job.updatedAt)

/** Moves the job along `event`. An edge that the table lacks is a bug of ours: a defect that names it. */
export const moveJob = (
  draft: Draft,
  env: Env,
  job: Job,
  event: JobMove,
  note: Note,
  patch: JobPatch = {}
): Job => {
  const state = Result.getOrThrow(Machine.step(JobMachine, job.state, event))
  const entry = change(draft, job)
  const at = instant(env, job)
  record(entry, env, "job", event, job.state, state, job.agent?.incarnation ?? 0, at, note)
  return put(draft, entry, { ...job, ...patch, state, updatedAt: at })
}

/** Moves the job's agent along `event`; the job must have one. */
export const moveAgent = (
  draft: Draft,
  env: Env,
  job: Job,
  agent: Agent,
  event: AgentMove,
  note: Note,
  patch: AgentPatch
): Job => {
  const state = Result.getOrThrow(Machine.step(AgentMachine, agent.state, event))
  const entry = change(draft, job)
  const at = instant(env, job)
  const next = { ...agent, ...patch, state }
  record(entry, env, "agent", event, agent.state, state, next.incarnation, at, note)
  return put(draft, entry, { ...job, agent: next, updatedAt: at })
}

/** Creates the agent of an accepted job. */
export const dispatchAgent = (draft: Draft, env: Env, job: Job, agent: Agent): Job => {
  const entry = change(draft, job)
  const at = instant(env, job)
  const { event } = AgentMachine.creation
  record(entry, env, "agent", event, null, agent.state, agent.incarnation, at, { reason: "job_accepted" })
  return put(draft, entry, { ...job, agent, updatedAt: at })
}

/** Changes what the row keeps of the agent without a move: phase, standing, ownership. */
export const keepAgent = (draft: Draft, job: Job, agent: Agent, patch: AgentPatch): Job =>
  put(draft, change(draft, job), { ...job, agent: { ...agent, ...patch } })

/** Notes a message that came too late or was refused; it changes nothing (design: late completions are never landed). */
export const noteLate = (
  draft: Draft,
  env: Env,
  seq: number,
  incarnation: number,
  event: string,
  reason: string
): void => {
  draft.notes.push({
    seq,
    subjectKind: "agent",
    event,
    fromState: null,
    toState: null,
    transitionReason: reason,
    errorCode: null,
    actor: env.actor,
    occurredAt: env.now,
    incarnation,
    detail: null
  })
}

/** The slots in use: derived from the owned rows, here and nowhere else (R4). */
export const usedSlots = (owned: ReadonlyMap<number, Job>): number => {
  let used = 0
  for (const { agent } of owned.values()) if (agent !== null && holdsSlot(agent)) used++
  return used
}
