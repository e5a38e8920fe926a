/**
 * A reflection facet as a node of the model: what is declared of it, apart from what it does (seed "Agent-orchestration model": the facet
 * registry is modelled as first-class nodes, and reconciled against the live registry both ways).
 */
export interface FacetNode {
  /** Unique in the fleet; the plugin host registers the facet under it. */
  readonly key: string
  /** What kind of question it asks, as in `recurrence` or `freshness`. */
  readonly genre: string
  /** `interface_ready`: declared, and nobody answers yet. */
  readonly status: "built" | "interface_ready"
  /** The policy that the fleet is held against: a file from the root of the repository and a heading's anchor in it. */
  readonly policy: { readonly path: string; readonly anchor: string }
  /** The class of tempo that it shares a window with. */
  readonly tempo: string
  /** What may be asked of an operator when it fires; a closed vocabulary. */
  readonly followUps: ReadonlyArray<string>
}
