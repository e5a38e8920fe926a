/**
 * The runner contract: turns an assignment into a stream of agent events and ends with a result. It knows nothing of retries, slots or
 * states: it works once, and the fleet decides what its ending means. Conformance: `runnerSuite` from @muster/core/testing.
 */
import type { Effect, Scope } from "effect"
import type { Mail } from "./Mail.ts"
import type { Markers } from "./Markers.ts"
import type { Workspace } from "./Workspaces.ts"

/** What one incarnation is asked to do. */
export interface Assignment {
  readonly jobId: string
  readonly workflowType: string
  /** For the agent to use as its own idempotency key towards others. */
  readonly idempotencyKey: string
  readonly correlationId: string
  /** W3C traceparent of the incarnation's span or of the submitter; null where there is none. */
  readonly traceContext: string | null
  /** From 1; which life of the agent this is. */
  readonly incarnation: number
  /** From 1; which of the attempts that count. */
  readonly attempt: number
  /** As the workflow's payload schema decoded it. */
  readonly payload: unknown
  /** The payload as it was submitted, JSON text. */
  readonly payloadJson: string
  /** Null for the workspace `none`. */
  readonly workspace: Workspace | null
  /** Why the gates turned down the attempt before this one; empty for most. */
  readonly feedback: ReadonlyArray<string>
  /** `<store id>:<host>:<epoch>`, committed before anything is spawned: processes that carry it belong to this host (R20). */
  readonly token: string
}

/** What an agent may say while it works. Any of them is life; heartbeats alone are not progress (R35). */
export type AgentEvent =
  /** A line of output, without its line break. `cut`: it was longer than the limit and its rest is gone. */
  | {
      readonly _tag: "Line"
      readonly source: "stdout" | "stderr" | "log"
      readonly text: string
      readonly cut: boolean
    }
  /** `fraction` from 0 to 1, or null where unknown. */
  | { readonly _tag: "Progress"; readonly message: string; readonly fraction: number | null }
  /** Tokens and cost as the agent reports them; null where it doesn't. `cost` in US dollars. */
  | {
      readonly _tag: "Usage"
      readonly inputTokens: number | null
      readonly outputTokens: number | null
      readonly cost: number | null
    }
  /** A wish for more time before silence is assumed, in milliseconds from now; granted up to the hard cap. */
  | { readonly _tag: "Extend"; readonly millis: number }
  | { readonly _tag: "Heartbeat" }
  | { readonly _tag: "ToolOpened"; readonly name: string }
  | { readonly _tag: "ToolClosed"; readonly name: string }
  /** The agent waits for an answer; this is not silence. */
  | { readonly _tag: "NeedsInput"; readonly question: string }

/** Takes one event. It never fails, never waits and bounds what it keeps; a runner may call it from a callback. */
export type Emit = (event: AgentEvent) => void

export interface Runner<R = never> {
  /** Unique among the fleet's runners; `function` and `process` ship. */
  readonly name: string
  /** Its agents read messages. Left out or false: whoever sends them one is told that they aren't listening. */
  readonly listens?: boolean
  /**
   * Works on the assignment until its end. Success is the raw result, which the fleet holds against the workflow's result
   * schema. A typed failure whose tag is a code keeps that code; every other failure and every defect counts as a crash
   * (`ORCH_RETRYABLE_AGENT_CRASHED`). Interruption stops the work, and everything that was acquired in the Scope is gone when it
   * returns: processes too, their whole group. A runner whose agents write to the outside offers them `markers` (R28), and one that
   * lets them talk to each other `mail`.
   */
  readonly run: (
    assignment: Assignment,
    emit: Emit,
    markers: Markers,
    mail: Mail
  ) => Effect.Effect<unknown, unknown, R | Scope.Scope>
}
