/**
 * What a facet says of itself before it says anything of the fleet, and the closed vocabularies it says it in (seed "Agent-orchestration
 * model": the facets are nodes of the model, with a genre, `built` or `interface_ready`, and policy material by reference).
 */

/** What kind of thing a facet looks for. */
export const genres = ["recurrence", "freshness", "reference", "capacity", "economy"] as const
export type Genre = (typeof genres)[number]

/** `interface_ready`: declared, and nobody has built it yet; it is listed, and never asked. */
export const facetStatuses = ["built", "interface_ready"] as const
export type FacetStatus = (typeof facetStatuses)[number]

/** How often a facet's class has its turn. */
export const tempos = ["brisk", "steady", "slow"] as const
export type Tempo = (typeof tempos)[number]

/** The window of each class, in milliseconds: a host reflects at most once in it. The brisk one is the bank's. */
export const tempoMillis: { readonly [T in Tempo]: number } = {
  brisk: 60_000,
  steady: 600_000,
  slow: 3_600_000
}

/** While a facet says the same of the same thing, it is written down and told once in so many milliseconds. */
export const repeatMillis: { readonly [T in Tempo]: number } = {
  brisk: 3_600_000,
  steady: 21_600_000,
  slow: 86_400_000
}

/** What one reflection may take: the facet's answer in milliseconds, its sentence and its evidence in bytes. */
export const reflectionLimits = { answerMillis: 10_000, sentenceBytes: 1_024, evidenceBytes: 4_096 } as const

/**
 * What may come of a firing; each is written down as an event. `note`: nothing more. `tell`: the host says it aloud, and `muster status`
 * shows it. `look_again`: told, and the loop looks anew at everything that the store keeps. `suggest`: told, with a command to run.
 */
export const followUps = ["note", "tell", "look_again", "suggest"] as const
export type FollowUp = (typeof followUps)[number]

/** A place in a document, never its text. */
export interface PolicyReference {
  /**
   * From the directory in which the host looks for documents, as in `docs/runbook.md`; or inside a package, as in
   * `@muster/fleet/policy/reflection.md`.
   */
  readonly path: string
  /** The heading it means, as Markdown makes links of headings: `bank-freshness`. Empty: the whole document. */
  readonly anchor: string
}

export interface FacetDeclaration {
  /** Unique among the fleet's facets: words of a-z and 0-9 with hyphens between. */
  readonly key: string
  /** What must be true for it to be silent, in one sentence. */
  readonly holds: string
  readonly genre: Genre
  readonly tempo: Tempo
  readonly status: FacetStatus
  /** What the fleet is held against. It has to resolve: a facet without its policy isn't asked. */
  readonly policy: PolicyReference
  /** What may come of its firings; one at least. */
  readonly followUps: ReadonlyArray<FollowUp>
}

/** Whether a text may be a facet's key. */
export const isFacetKey = (text: string): boolean =>
  /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(text) && text.length <= 64
