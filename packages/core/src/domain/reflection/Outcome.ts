/**
 * What a reflection becomes: nothing, as nearly always; or a note, with what follows on it. A facet that goes on saying the same of the same
 * thing is written down once in its repeat window, so that a fleet that is off for a night leaves a line and not a book.
 */
import { type FacetDeclaration, type FollowUp, repeatMillis } from "./FacetDeclaration.ts"

/** The events of reflections, host records outside the chains (R12). */
export const reflectionEvents = ["facet_fired", "facet_skipped"] as const

/** What a facet has said, or what the substrate says in its place. */
export interface Reflected {
  readonly event: (typeof reflectionEvents)[number]
  /** The genre of a facet that fired; `policy_missing` of one that was not asked. */
  readonly reason: string
  readonly facet: string
  readonly about: string
  /** One sentence, bounded. */
  readonly sentence: string
  readonly followUp: FollowUp
  /** Bounded, JSON-safe. */
  readonly evidence: unknown
  /** A command to run; null for none. */
  readonly suggestion: string | null
  /** `path#anchor`. */
  readonly policy: string
}

/** What is remembered of what a facet said last. */
export interface Said {
  readonly about: string
  /** Epoch ms. */
  readonly at: number
}

export const policyText = ({ anchor, path }: FacetDeclaration["policy"]): string =>
  anchor === "" ? path : `${path}#${anchor}`

/** What the facet has fired, as it is written down. */
export const fired = (
  facet: FacetDeclaration,
  firing: Pick<Reflected, "about" | "evidence" | "followUp" | "sentence" | "suggestion">
): Reflected => ({
  event: "facet_fired",
  reason: facet.genre,
  facet: facet.key,
  policy: policyText(facet.policy),
  about: firing.about,
  sentence: firing.sentence,
  followUp: firing.followUp,
  evidence: firing.evidence,
  suggestion: firing.suggestion
})

/** The facet's policy doesn't resolve: it is not asked, and that is said in its place. */
export const unfounded = (facet: FacetDeclaration, resolution: string): Reflected => {
  const policy = policyText(facet.policy)
  return {
    event: "facet_skipped",
    reason: "policy_missing",
    facet: facet.key,
    about: policy,
    sentence: `the facet ${facet.key} is not asked: its policy ${policy} leads nowhere (${resolution})`,
    followUp: "tell",
    evidence: { resolution },
    suggestion: null,
    policy
  }
}

/** Whether it was said before, of the same thing, and not so long ago that it should be said again. */
export const isRepeated = (
  { about }: Reflected,
  { tempo }: FacetDeclaration,
  said: Said | undefined,
  now: number
): boolean => said !== undefined && said.about === about && Math.abs(now - said.at) < repeatMillis[tempo]

/** The detail of its event, as JSON text. */
export const detailOf = (reflected: Reflected): string =>
  JSON.stringify({
    facet: reflected.facet,
    about: reflected.about,
    sentence: reflected.sentence,
    follow_up: reflected.followUp,
    suggestion: reflected.suggestion,
    policy: reflected.policy,
    evidence: reflected.evidence
  })
