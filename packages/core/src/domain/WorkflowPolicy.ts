/**
 * What the decision knows of a workflow: plain data and one pure function. Compiled once from the workflow's definition.
 */
import type { Result } from "effect"

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

export interface WorkflowPolicy {
  /** The job's `workflow_type`. */
  readonly name: string
  /** Used where a submission says nothing; attempts are one more. */
  readonly maxRetries: number
  /** No event from the agent for so long abandons it, in milliseconds. */
  readonly silenceMillis: number
  /** The longest silence that an agent may ask for, in milliseconds. */
  readonly silenceCapMillis: number
  readonly deadlines: PhaseDeadlines
  /** Recoveries that burn no attempt, at most so many in a sliding window (R2). */
  readonly restarts: { readonly restarts: number; readonly windowMillis: number }
  /** Which phases have a plugin; one that has none writes nothing. */
  readonly workspace: boolean
  readonly gates: boolean
  readonly lander: boolean
  /** Parses and decodes a payload's JSON text by the workflow's schema. Synchronous and pure (R1). */
  readonly decodePayload: (json: string) => Result.Result<unknown, Mismatch>
}
