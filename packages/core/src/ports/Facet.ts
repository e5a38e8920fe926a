/**
 * The facet contract: a reflection, one policy dimension that the fleet is held against. Silent unless something is off
 * (seed "Agent-orchestration model": the reflection facets are nodes of the model).
 */
import type { Effect } from "effect"
import type { FacetDeclaration, FollowUp } from "../domain/reflection/FacetDeclaration.ts"
import type { FleetGlance } from "../domain/reflection/FleetGlance.ts"

export type { FacetDeclaration } from "../domain/reflection/FacetDeclaration.ts"

/** What a facet says when something is off. */
export interface Firing {
  /** What it is about, in stable words: `code:EXT_DOWN`, `host:3`. While a facet says the same of the same thing, it is written once. */
  readonly about: string
  /** One sentence for the operator, at most 1 KiB. */
  readonly sentence: string
  /** One of those that the facet has declared. */
  readonly followUp: FollowUp
  /** What the sentence rests on: JSON-safe data, at most 4 KiB as text. */
  readonly evidence: unknown
  /** A command to run, as in `muster scale 8`; with the follow-up `suggest`, and no other. */
  readonly suggestion?: string
}

export interface BuiltFacet<R = never> extends FacetDeclaration {
  readonly status: "built"
  /**
   * Null is silence, the usual answer. It has 10 seconds; what it fails with, throws or forgets costs this reflection only, and it is asked
   * again when its turn comes.
   */
  readonly reflect: (glance: FleetGlance) => Effect.Effect<Firing | null, unknown, R>
}

/** A declaration that waits for its implementation. */
export interface InterfaceReadyFacet extends FacetDeclaration {
  readonly status: "interface_ready"
}

export type Facet<R = never> = BuiltFacet<R> | InterfaceReadyFacet
