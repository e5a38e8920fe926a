/**
 * What a function that works as an agent gets beside its payload: who it is, and ways to show that it lives.
 */
import type { Effect, Schema } from "effect"
import type { MarkerInvalid } from "../domain/errors/ContractErrors.ts"
import type { MarkerScope } from "../domain/Marker.ts"
import type { Assignment } from "./Runner.ts"

export interface OnceOptions<A, E> {
  /**
   * `job` (default): done once for the job, whatever happens to its attempts. `attempt`: done once in each attempt, for steps that think: a
   * rejected answer must not come back. Such a step may be done again unasked, so its outcome is never in question.
   */
  readonly scope?: MarkerScope
  /** How the result is kept as JSON and read back; left out, it is JSON data itself and comes back as JSON keeps it. */
  readonly result?: Schema.Codec<A, unknown>
  /** Whether a failure proves that nothing was done, so that the step may be begun again. Left out: none does. */
  readonly isNotDone?: (error: E) => boolean
}

export interface AgentContext {
  readonly assignment: Assignment
  /** Says what the agent is doing; life and progress. `fraction` from 0 to 1. */
  readonly progress: (message: string, fraction?: number) => Effect.Effect<void>
  /** A line for the agent's log; life. */
  readonly log: (line: string) => Effect.Effect<void>
  /** Asks for `millis` more before silence is assumed; granted up to the workflow's cap. */
  readonly extend: (millis: number) => Effect.Effect<void>
  /** Reports tokens and cost (US dollars). */
  readonly usage: (usage: {
    readonly inputTokens?: number
    readonly outputTokens?: number
    readonly cost?: number
  }) => Effect.Effect<void>
  /**
   * Wraps an external write (R28): its start is durable before it runs and its result after, and a later incarnation gets the result
   * back instead of writing again. Started and not finished is unknown, and follows the workflow's `unknownOutcome`. The step may be a
   * function of its own idempotency key: the job's, and the name. Fails with CONTRACT_MARKER_INVALID where name or result can't be kept.
   */
  readonly once: <A, E, R>(
    name: string,
    step: Effect.Effect<A, E, R> | ((key: string) => Effect.Effect<A, E, R>),
    options?: OnceOptions<A, E>
  ) => Effect.Effect<A, E | MarkerInvalid, R>
}
