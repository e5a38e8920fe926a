/**
 * What a reflection becomes: nothing, as nearly always; or a note, with what follows on it. A facet that goes on saying the same of the same
 * thing is written down once in its repeat window, so that a fleet that is off for a night leaves a line and not a book.
 */
import { Option, Schema } from "effect"
import type { LifecycleEvent } from "../LifecycleEvent.ts"
import { type FacetDeclaration, type FollowUp, followUps, repeatMillis } from "./FacetDeclaration.ts"

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

/** The detail of its event, as it is kept and shown. */
export const ReflectionDetail = Schema.Struct({
  facet: Schema.String,
  /** What it is about: the same words while it is the same thing. */
  about: Schema.String,
  sentence: Schema.String,
  follow_up: Schema.Literals(followUps),
  suggestion: Schema.NullOr(Schema.String),
  policy: Schema.String,
  evidence: Schema.Unknown
})
export type ReflectionDetail = typeof ReflectionDetail.Type

const decodeDetail = Schema.decodeUnknownOption(Schema.fromJsonString(ReflectionDetail))

const isReflection = ({ event, subjectKind }: LifecycleEvent): boolean =>
  subjectKind === "host" && reflectionEvents.some((name) => name === event)

/** What a facet has said in this event; none for other events. */
export const detailIn = (event: LifecycleEvent): Option.Option<ReflectionDetail> =>
  isReflection(event) ? decodeDetail(event.detail) : Option.none()

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

/** What was said before, of what. */
export interface Said {
  readonly facet: string
  readonly about: string
  /** Epoch ms. */
  readonly at: number
}

/** What these events say of it. */
export const saidIn = (events: ReadonlyArray<LifecycleEvent>): ReadonlyArray<Said> =>
  events.flatMap((event) =>
    Option.match(detailIn(event), {
      onNone: () => [],
      onSome: ({ about, facet }) => [{ facet, about, at: event.occurredAt }]
    })
  )

/**
 * Whether somebody has said it before, of the same thing, and not so long ago that it should be said again. `quietAt`: epoch ms at which the
 * facet was silent last; null: not since this host has started.
 */
export const isRepeated = (
  reflected: Pick<Reflected, "about" | "facet">,
  { tempo }: Pick<FacetDeclaration, "tempo">,
  before: ReadonlyArray<Said>,
  quietAt: number | null,
  now: number
): boolean =>
  before.some(
    ({ about, at, facet }) =>
      facet === reflected.facet &&
      about === reflected.about &&
      at > (quietAt ?? Number.NEGATIVE_INFINITY) &&
      Math.abs(now - at) < repeatMillis[tempo]
  )

/** The detail of its event, as JSON text. */
export const detailOf = (reflected: Reflected): string => {
  const { about, evidence, facet, followUp, policy, sentence, suggestion } = reflected
  const detail: ReflectionDetail = {
    facet,
    about,
    sentence,
    follow_up: followUp,
    suggestion,
    policy,
    evidence
  }
  return JSON.stringify(detail)
}
