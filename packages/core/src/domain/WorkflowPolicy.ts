/**
 * What the decision knows of a workflow: plain data and one pure function. Compiled once from the workflow's definition.
 */
import type { Result } from "effect"
import type { BreakerPolicy } from "./Breaker.ts"

/** Deadlines of the phases, in milliseconds; null: without limit. */
export interface PhaseDeadlines {
  readonly prepare: number | null
  readonly sentinel: number | null
  readonly work: number | null
  readonly verify: number | null
  readonly land: number | null
  readonly clean: number | null
}

/** Where a value doesn't fit its schema, and why. */
export interface Mismatch {
  /** As in `["hosts"][0]["name"]`; empty for the whole value. */
  readonly path: string
  readonly detail: string
}

/**
 * `rerun`: the next incarnation does the step again. `fail`: the job ends with ORCH_OUTCOME_UNKNOWN. `ask`: the job waits until an operator
 * says what became of the step.
 */
export const unknownOutcomes = ["rerun", "fail", "ask"] as const
export type UnknownOutcome = (typeof unknownOutcomes)[number]

export interface WorkflowPolicy {
  /** The job's `workflow_type`. */
  readonly name: string
  /** Used where a submission says nothing; attempts are one more. */
  readonly maxRetries: number
  /** No event from the agent for so long abandons it, in milliseconds. */
  readonly silenceMillis: number
  /** The longest silence that an agent may ask for, in milliseconds. */
  readonly silenceCapMillis: number
  /** Without progress for so long an agent that only beats is stalled, in milliseconds (R35). */
  readonly progressMillis: number
  /** An agent that waits for an answer fails after so long, in milliseconds (R35). */
  readonly inputMillis: number
  readonly deadlines: PhaseDeadlines
  /** Recoveries that burn no attempt, at most so many in a sliding window (R2). */
  readonly restarts: { readonly restarts: number; readonly windowMillis: number }
  /** When its jobs wait because too many attempts fail. */
  readonly breaker: BreakerPolicy
  /** What follows when a step was started and nobody knows whether it was done (R28). */
  readonly unknownOutcome: UnknownOutcome
  /** Which phases have a plugin; one that has none writes nothing. */
  readonly workspace: boolean
  readonly gates: boolean
  readonly lander: boolean
  /** Parses and decodes a payload's JSON text by the workflow's schema. Synchronous and pure (R1). */
  readonly decodePayload: (json: string) => Result.Result<unknown, Mismatch>
}
