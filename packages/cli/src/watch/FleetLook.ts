/**
 * Everything that the board shows, at one moment: what a source of it has found out, from a live host or from the store alone. Instants are
 * epoch milliseconds; lists that may grow are bounded by who makes them, the counts beside them are exact.
 */
import type { JobState } from "@muster/core"

/** What agents report of their use; null where none reports it. Cost in US dollars. */
export interface Spent {
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly cost: number | null
}

export interface AgentLook {
  readonly jobId: string
  readonly workflow: string
  readonly host: number
  readonly state: string
  /** Null: no incarnation is alive. */
  readonly phase: string | null
  readonly incarnation: number
  /** From 1. */
  readonly attempt: number
  /** Of the incarnation; from the store alone: of its latest move. */
  readonly startedAt: number
  /** The last sign of life; null where only a host knows it. */
  readonly lastSeenAt: number | null
  /** When patience with its silence ends, and how long it is in all, in milliseconds; null in phases that are not held to it. */
  readonly silenceAt: number | null
  readonly silenceMillis: number | null
  /** What it waits to be answered; null: nothing. */
  readonly question: string | null
  /** Its last line or progress message, as it came; empty: none. */
  readonly lastLine: string
  /** 0 to 1; null where unknown. */
  readonly fraction: number | null
  readonly spent: Spent
}

export interface WorkflowLook {
  readonly workflow: string
  readonly jobs: Readonly<Record<JobState, number>>
}

/** Waiting jobs of one workflow and one priority. */
export interface LaneLook {
  readonly workflow: string
  /** Null: of all priorities together. */
  readonly priority: number | null
  readonly waiting: number
  /** More wait than were looked at. */
  readonly more: boolean
  /** Since when the one waits that has been due for longest; null: none is due. */
  readonly oldestSince: number | null
  /** When the next becomes due; null: all are. */
  readonly nextDueAt: number | null
}

export interface RetryLook {
  readonly jobId: string
  readonly workflow: string
  readonly dueAt: number
  /** Burned attempts so far. */
  readonly retryCount: number
  readonly maxRetries: number
  readonly code: string | null
}

/** A job that is parked until somebody settles it. */
export interface ParkedLook {
  readonly jobId: string
  readonly workflow: string
  readonly markers: ReadonlyArray<string>
  readonly since: number
}

export interface BreakerLook {
  readonly workflow: string
  readonly state: "open" | "half_open"
  readonly openedAt: number
  readonly probeAt: number
  readonly failures: number
}

/** A pause or a drain in force. */
export interface WishLook {
  readonly kind: "pause" | "drain"
  /** Null: all hosts. */
  readonly host: number | null
  readonly actor: string
  readonly since: number
  /** Empty: none was given. */
  readonly reason: string
}

export interface LetterLook {
  readonly jobId: string
  readonly workflow: string
  readonly code: string
  readonly summary: string
  readonly at: number
  readonly eligible: boolean
  /** It was replayed already. */
  readonly replayed: boolean
}

export interface HostLook {
  readonly host: number
  readonly pid: number | null
  /** Its lease is fresh. */
  readonly beating: boolean
  /** It answers over its socket, or is this process. */
  readonly answers: boolean
  readonly beatAt: number
  readonly mode: string
  /** Null: nobody has said. */
  readonly slots: number | null
  readonly used: number
  /** Incarnations that were given up and live on. */
  readonly hung: number
  /** The loop's state and why it is there; null where only the host knows. */
  readonly loop: { readonly state: string; readonly reason: string; readonly turns: number } | null
  /** Its last bank; null: none yet. */
  readonly bankedAt: number | null
  /** Since when the store doesn't answer it, and what it said; null: it does. */
  readonly trouble: { readonly since: number; readonly detail: string } | null
}

/** Jobs of one run by what has become of them; they add up to `total`. */
export interface RunTally {
  readonly total: number
  readonly landed: number
  readonly working: number
  readonly retrying: number
  readonly waiting: number
  /** Quarantined, or failed for good. */
  readonly dead: number
  readonly cancelled: number
}

export interface FleetLook {
  readonly at: number
  /** Who told: hosts, this process's own fleet, or the store alone. */
  readonly via: "hosts" | "run" | "store"
  /** What is to be known about the source, as that a host has gone; empty for nothing. */
  readonly notice: string
  readonly store: string
  readonly hosts: ReadonlyArray<HostLook>
  /** Those who live, and those of lost hosts. */
  readonly agents: ReadonlyArray<AgentLook>
  readonly workflows: ReadonlyArray<WorkflowLook>
  readonly lanes: ReadonlyArray<LaneLook>
  /** The soonest first. */
  readonly retries: ReadonlyArray<RetryLook>
  readonly parked: ReadonlyArray<ParkedLook>
  readonly breakers: ReadonlyArray<BreakerLook>
  readonly wishes: ReadonlyArray<WishLook>
  /** The newest first. */
  readonly letters: ReadonlyArray<LetterLook>
  readonly letterCount: number
  /** The sequence of the store's last event. */
  readonly sequence: number
  /** What all agents have reported since their host started; null: count what is seen. */
  readonly spent: Spent | null
  /** Of `muster run`: what it is called and how far it is; null elsewhere. */
  readonly run: { readonly title: string; readonly startedAt: number; readonly counts: RunTally } | null
}

/** How the fleet stands as a whole. */
export const modeOf = ({ hosts, wishes }: FleetLook): string => {
  if (wishes.some(({ kind }) => kind === "pause")) return "paused"
  const modes = new Set(hosts.filter(({ beating }) => beating).map(({ mode }) => mode))
  const [only] = modes
  if (only !== undefined && modes.size === 1) return only
  return modes.size === 0 ? "no host" : "mixed"
}

export const slotsOf = ({ hosts }: FleetLook): number =>
  hosts.reduce((sum, { beating, slots }) => sum + (beating ? (slots ?? 0) : 0), 0)

export const usedSlotsOf = ({ hosts }: FleetLook): number => hosts.reduce((sum, { used }) => sum + used, 0)

/** Jobs of all workflows by state. */
export const jobsIn = ({ workflows }: FleetLook, ...states: ReadonlyArray<JobState>): number =>
  workflows.reduce((sum, { jobs }) => sum + states.reduce((some, state) => some + jobs[state], 0), 0)

/** A job's number without the store's id before it. */
export const shortId = (jobId: string): string => jobId.slice(jobId.lastIndexOf("-") + 1)
