/**
 * The draft of one turn: the owned jobs as they will be, the changes that make them so, and the commands that follow.
 * It is private to the turn and filled in place; what is in it is immutable. It becomes the state when the commit has succeeded.
 */
import type { Breaker } from "../Breaker.ts"
import type { DeadLetterDraft } from "../DeadLetter.ts"
import type { Job } from "../Job.ts"
import type { EventDraft } from "../LifecycleEvent.ts"
import type { Marker } from "../Marker.ts"
import type { Command } from "./Command.ts"

/** One scheduled retry, for the retry log. */
export interface RetryEntry {
  /** Burned attempts so far. */
  readonly attempt: number
  readonly incarnation: number
  readonly errorCode: string
  readonly burned: boolean
  readonly delayMillis: number
  readonly nextAt: number
  readonly at: number
  /** The failure, as JSON text. */
  readonly failure: string
}

/** All that this turn writes of one job; filled while the turn decides. */
export interface Change {
  job: Job
  /** The version that the row must still have. */
  readonly version: number
  /** A refilled job: it may be lost to another host. */
  readonly contested: boolean
  readonly events: Array<EventDraft>
  readonly markers: Array<Marker>
  retry: RetryEntry | null
  letter: DeadLetterDraft | null
  /** JSON text of the final result. */
  result: string | null
}

/** An intent that has come to its end. */
export interface Settled {
  readonly intent: number
  readonly outcome: string
  /** Only together with the change of this job: one that is lost to another host leaves the intent open. Left out: in any case. */
  readonly job?: number
}

export interface Draft {
  /** The jobs whose agents this host owns, by number. */
  readonly owned: Map<number, Job>
  readonly changes: Map<number, Change>
  /** Records outside the chains: late and refused messages. `seq` of the job they speak of; null for a host's. */
  readonly notes: Array<EventDraft & { readonly seq: number | null }>
  readonly settled: Array<Settled>
  /** By workflow; one that is not there has never opened. */
  readonly breakers: Map<string, Breaker>
  /** Workflows whose breaker has opened, half-opened or closed in this turn. */
  readonly tripped: Set<string>
  readonly commands: Array<Command>
}

/** A draft over the owned jobs: the map is copied once a turn, never once a signal. */
export const begin = (
  owned: ReadonlyMap<number, Job>,
  breakers: ReadonlyMap<string, Breaker> = new Map()
): Draft => ({
  owned: new Map(owned),
  changes: new Map(),
  notes: [],
  settled: [],
  breakers: new Map(breakers),
  tripped: new Set(),
  commands: []
})

/** Whether there is anything to commit. */
export const isEmpty = (draft: Draft): boolean =>
  draft.changes.size === 0 &&
  draft.notes.length === 0 &&
  draft.settled.length === 0 &&
  draft.tripped.size === 0

/** The change of `job` in this turn, begun if there is none. */
export const change = (draft: Draft, job: Job, contested = false): Change => {
  const begun = draft.changes.get(job.seq)
  if (begun !== undefined) return begun
  const fresh: Change = {
    job,
    version: job.version,
    contested,
    events: [],
    markers: [],
    retry: null,
    letter: null,
    result: null
  }
  draft.changes.set(job.seq, fresh)
  return fresh
}

/** Writes a marker into the change; a later one of the same name replaces. */
export const mark = (entry: Change, marker: Marker): void => {
  const former = entry.markers.findIndex(({ name }) => name === marker.name)
  if (former === -1) entry.markers.push(marker)
  else entry.markers[former] = marker
}

/** The job as this turn has left it so far. */
export const current = (draft: Draft, seq: number): Job | undefined =>
  draft.changes.get(seq)?.job ?? draft.owned.get(seq)
