/**
 * The markers that a working incarnation writes (R28): the start of a step before it is done, its result after. What nobody finishes is
 * in the agent's `steps`, and when its incarnation ends, its outcome is unknown.
 */
import type { Agent } from "../Agent.ts"
import type { Job } from "../Job.ts"
import { askAbout } from "../JobHold.ts"
import { isOfJob } from "../Marker.ts"
import { change, type Draft, mark } from "./Draft.ts"
import type { Env } from "./Env.ts"
import { endInDoubt } from "./handBack.ts"
import { noteLate, put } from "./move.ts"
import type { Signal } from "./Signal.ts"

type MarkerSignal = Extract<Signal, { readonly _tag: "MarkerStarted" | "MarkerFinished" }>

/**
 * Whether the agent may write it: a step is begun by a living incarnation alone. That it is done is a fact, which an incarnation that
 * is being interrupted may still bring home; a hung one is not heard any more.
 */
const mayMark = ({ phase, standing }: Agent, { _tag }: MarkerSignal): boolean =>
  phase === "work" && (standing === null || (standing === "ending" && _tag === "MarkerFinished"))

/** Whether the step may have been done by a job that this one replays, and its workflow wants it neither done again nor forgotten. */
const isDoubtful = (env: Env, { workflowType }: Job, signal: MarkerSignal): boolean =>
  signal._tag === "MarkerStarted" &&
  signal.doubtful &&
  env.workflows.get(workflowType)?.unknownOutcome !== "rerun"

/** Writes a marker of the incarnation that owns the job, or refuses it; answers whoever asked, after the commit. */
export const decideMarker = (draft: Draft, env: Env, signal: MarkerSignal): void => {
  const { id, incarnation, name, seq } = signal
  const job = draft.owned.get(seq)
  const agent = job?.agent ?? null
  const stale = job === undefined || agent === null || agent.incarnation !== incarnation
  const expected = !stale && mayMark(agent, signal)
  const doubtful = expected && isDoubtful(env, job, signal)
  draft.commands.push({ _tag: "Acknowledge", seq, incarnation, id, accepted: expected && !doubtful })
  if (!expected) {
    const reason = stale ? "stale_incarnation" : "not_expected"
    noteLate(draft, env, seq, incarnation, "refused_message", reason)
    return
  }
  const others = agent.steps.filter((step) => step !== name)
  const started = signal._tag === "MarkerStarted"
  const result = started ? null : signal.result
  const steps = started && isOfJob(name) ? [...others, name] : others
  const entry = change(draft, job)
  mark(entry, {
    name,
    state: started ? "started" : result === null ? "cleared" : "finished",
    incarnation,
    at: env.now,
    result
  })
  // The job was parked because of this step, and now it is known what became of it.
  const hold = job.hold === null ? null : askAbout(steps, env.now)
  // A newly finished step is progress: whoever makes some is not one that kills its host each time (R2).
  const restarts = result === null ? agent.restarts : []
  const marked = put(draft, entry, { ...job, hold, agent: { ...agent, steps, restarts } })
  if (doubtful) endInDoubt(draft, env, marked)
}
