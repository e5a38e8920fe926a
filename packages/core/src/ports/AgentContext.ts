/**
 * What a function that works as an agent gets beside its payload: who it is, and ways to show that it lives.
 */
import type { Effect } from "effect"
import type { Assignment } from "./Runner.ts"

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
}
