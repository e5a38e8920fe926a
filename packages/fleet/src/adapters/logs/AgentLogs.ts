/**
 * Where the lines of agents are kept beside the store, so that they outlive the agent and the host. Whoever says nothing keeps none;
 * NodeAgentLogs keeps them in files. A line is never a commit (R15), and one that can't be kept costs the fleet nothing but the line.
 */
import { Context, Effect, type Scope } from "effect"
import type { AgentLine } from "../../agents/AgentLines.ts"

/** A line as it is kept: whole, up to `limits.lineBytes`. */
export interface LoggedLine extends AgentLine {
  /** It was longer than the limit, and its rest is gone. */
  readonly cut: boolean
}

/** How much is kept, whichever bound is met first; null: no bound. One agent's lines are bounded by `limits.agentLogBytes` in any case. */
export interface LogBounds {
  /** Lines of an agent that has said nothing for so long go, in milliseconds. */
  readonly millis: number | null
  /** While all take more, in bytes, those go whose agent has said nothing for longest. */
  readonly bytes: number | null
}

/** What is gone, or would go. */
export interface Pruned {
  readonly files: number
  readonly bytes: number
}

/** Those of these jobs that the store still has. */
export type KnownJobs<E> = (jobIds: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, E>

/** The logs of one store, open for this host. */
export interface OpenLogs {
  /** Takes a line. Never waits and never fails. */
  readonly write: (jobId: string, line: LoggedLine) => void
  /** Forgets what is beyond the bounds, and what is left of jobs that the store has forgotten. */
  readonly prune: <E>(bounds: LogBounds, known: KnownJobs<E>) => Effect.Effect<Pruned, E>
}

/** Keeps nothing. */
export const none: OpenLogs = {
  write: () => undefined,
  prune: () => Effect.succeed({ files: 0, bytes: 0 })
}

export interface AgentLogsService {
  /** Opens the logs of the store of this name until the scope is closed: what was taken by then is kept. */
  readonly open: (store: string) => Effect.Effect<OpenLogs, never, Scope.Scope>
}

export const AgentLogs = Context.Reference<AgentLogsService>("@muster/fleet/adapters/logs/AgentLogs", {
  defaultValue: () => ({ open: () => Effect.succeed(none) })
})
