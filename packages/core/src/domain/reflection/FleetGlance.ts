/**
 * What a facet may look at: one snapshot a reflection, bounded, the same for every facet, and nothing but data.
 */
import type { PolicyReference } from "./FacetDeclaration.ts"

/** Kept counts of the store; the tally's. */
export interface CountGlance {
  readonly workflow_type: string
  readonly state: string
  readonly count: number
}

/** One attempt that failed: a scheduled retry, or the end of its job. */
export interface FailureGlance {
  readonly code: string
  readonly jobId: string
  /** Epoch ms. */
  readonly at: number
}

/** A host whose epoch is not over. */
export interface HostGlance {
  readonly host: number
  /** Epoch ms of its start. */
  readonly enlistedAt: number
  /** Epoch ms of its last sign of life. */
  readonly beatAt: number
  /** Epoch ms of its last bank; null: it has banked none. */
  readonly bankedAt: number | null
}

/** The job that this host would start next. */
export interface WaitingGlance {
  readonly jobId: string
  readonly workflowType: string
  /** Epoch ms since when it is due. */
  readonly dueAt: number
}

/** `unreadable`: there is something, and it is no text or too large. */
export const resolutions = ["resolved", "no_document", "no_anchor", "unreadable"] as const
export type Resolution = (typeof resolutions)[number]

/** A reference to a document, and whether it leads somewhere. */
export interface PointerGlance extends PolicyReference {
  /** Who refers to it: `facet capacity`, `code EXT_*`. */
  readonly by: string
  readonly resolution: Resolution
}

export interface FleetGlance {
  /** Epoch ms. */
  readonly now: number
  /** This host. */
  readonly host: number
  /** Slots of this host. */
  readonly slots: number
  readonly usedSlots: number
  /** Slots of this host that may be filled now: none while it is paused, drains, stops, or waits for its store. */
  readonly freeSlots: number
  readonly counts: ReadonlyArray<CountGlance>
  /** Letters that nobody has replayed or discarded. */
  readonly letters: number
  /** Null: no job waits that this host could start. One that a storm breaker holds back doesn't wait. */
  readonly waiting: WaitingGlance | null
  /** The latest, the oldest first, at most 500; those of the last hour as far as they were read. */
  readonly failures: ReadonlyArray<FailureGlance>
  /** At most 100. */
  readonly hosts: ReadonlyArray<HostGlance>
  /** The documents that facets and hints of the catalogue refer to, at most 200. */
  readonly pointers: ReadonlyArray<PointerGlance>
}
