/**
 * What follows from the steps that an ending incarnation has started and not finished: their outcome is unknown (R28).
 */
import { OutcomeUnknown } from "../errors/AttemptErrors.ts"
import { type Failure, fromError } from "../Failure.ts"
import type { Job } from "../Job.ts"
import { askAbout } from "../JobHold.ts"
import type { Env } from "./Env.ts"

export interface Doubt {
  /** Why the job can't go on; null where it can. */
  readonly failure: Failure | null
  /** The hold with which it waits for an operator; null: it waits for nobody. */
  readonly hold: string | null
  /** For the event, JSON members: the steps that are asked about; empty for none. */
  readonly asks: { readonly asks?: ReadonlyArray<string> }
}

/** By the workflow's policy; a workflow that is not served here asks. */
export const doubtOf = (env: Env, { agent, jobId, workflowType }: Job, cause: Failure): Doubt => {
  const steps = agent?.steps ?? []
  const policy = env.workflows.get(workflowType)?.unknownOutcome ?? "ask"
  if (steps.length === 0 || policy === "rerun") return { failure: null, hold: null, asks: {} }
  if (policy === "ask") return { failure: null, hold: askAbout(steps, env.now), asks: { asks: steps } }
  const failure = fromError(new OutcomeUnknown({ jobId, markers: steps, detail: cause.message }))
  return { failure, hold: null, asks: {} }
}
