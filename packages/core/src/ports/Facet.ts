/**
 * The facet contract: a reflection, one policy dimension that the fleet is held against. Silent unless something is off
 * (seed "Agent-orchestration model": the reflection facets are nodes of the model).
 */
import type { Effect } from "effect"
import type { TallyRows } from "./StoreDriver.ts"

/** What a facet may look at: kept counts and the free slots of this host. */
export interface FleetGlance {
  /** Epoch ms. */
  readonly now: number
  readonly slots: number
  readonly usedSlots: number
  readonly tally: TallyRows
}

export interface Facet<R = never> {
  /** Unique among the fleet's facets. */
  readonly name: string
  /** How often it may be asked, in milliseconds; at most once in this time. */
  readonly tempoMillis: number
  /** Null is silence, the usual answer; else one sentence for the operator. */
  readonly reflect: (glance: FleetGlance) => Effect.Effect<string | null, unknown, R>
}
