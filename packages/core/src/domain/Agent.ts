/**
 * The agent: the supervised actor that owns one job from dispatch to tombstone, through many incarnations.
 * It is part of its job's row: one version, one owner, one write (design, "One turn of the loop").
 */
import type { AgentState, Disposition, Phase, Standing } from "./AgentMachine.ts"

/** The seed's live marker (R6): which life of which host holds the agent. `null` where nobody does. */
export interface Owner {
  /** The number that the store gave the host when it enlisted. */
  readonly host: number
  /** The host's fencing token; a commit under another epoch is refused. */
  readonly epoch: number
}

/** What became of a workspace: removed, or kept and why, with the path or the ref under which its content lives on (R30). */
export type WorkspaceFate =
  | { readonly _tag: "Removed" }
  | { readonly _tag: "Kept"; readonly at: string; readonly reason: string }

export interface Agent {
  readonly state: AgentState
  /** The life of the agent's fiber, from 1; each message, completion and timer carries it, and a stale one is refused. */
  readonly incarnation: number
  readonly owner: Owner | null
  /** Only while abandoned, or while working and its lander is asked about a landing (`landing_unknown`, R27); else null. */
  readonly standing: Standing | null
  /** The phase that the living incarnation is in; null when no fiber is owed. */
  readonly phase: Phase | null
  /** Its finalisers did not end in time: the slot is given up, the incarnation is not waited for any more (R4). */
  readonly hung: boolean
  /** Instants (epoch ms, ascending) of the recoveries that burned no attempt, within the restart window (R2). */
  readonly restarts: ReadonlyArray<number>
  /** Names of the markers that are started and not finished: while nobody lives who could finish them, their outcome is unknown (R28). */
  readonly steps: ReadonlyArray<string>
  /** What the workspace plugin needs to find the workspace again, as it gave it; null where there is none. */
  readonly workspace: string | null
  /** Set with the tombstone; null before. */
  readonly disposition: Disposition | null
}

/** `agent:<job id>`: the agent's id, `owner_agent` in the envelope and `actor` in its events. One agent a job. */
export const agentId = (jobId: string): string => `agent:${jobId}`

/**
 * Whether the agent's incarnation holds a slot (R4): used slots are derived here and nowhere counted. Archive and clean come after
 * the incarnation and need none (R30).
 */
export const holdsSlot = (agent: Agent): boolean =>
  agent.owner !== null &&
  agent.phase !== null &&
  agent.phase !== "archive" &&
  agent.phase !== "clean" &&
  !agent.hung
