/**
 * Reads what a facet answers: it may be plain JavaScript, so an answer that breaks its contract is a failure of the facet, and texts are cut
 * at their limits (R36).
 */
import {
  BoundedText,
  type FacetDeclaration,
  type Firing,
  followUps,
  limits,
  reflectionLimits
} from "@muster/core"
import { Effect, Result, Schema } from "effect"

const Answer = Schema.NullOr(
  Schema.Struct({
    about: Schema.String.check(Schema.isPattern(/^\S{1,256}$/)),
    sentence: Schema.NonEmptyString,
    followUp: Schema.Literals(followUps),
    evidence: Schema.Unknown,
    suggestion: Schema.optionalKey(Schema.NonEmptyString)
  })
)
const decode = Schema.decodeUnknownEffect(Answer)

/** A firing as it may be written: what it rests on is JSON-safe, and there is a command exactly where one is suggested. */
export type SoundFiring = Required<Omit<Firing, "suggestion">> & { readonly suggestion: string | null }

/** One line of at most so many bytes. */
const oneLine = (text: string, bytes: number): string =>
  BoundedText.truncate(text.replaceAll(/\s+/g, " ").trim(), bytes)

/** Null where it can't be kept: the sentence is worth more than what it rests on. */
const kept = (evidence: unknown): unknown => {
  const encoded = BoundedText.encodeJson(evidence, reflectionLimits.evidenceBytes)
  return Result.isSuccess(encoded) ? JSON.parse(encoded.success) : null
}

/** What the facet says; null is silence. Fails for a follow-up that it hasn't declared. */
export const readFiring = Effect.fnUntraced(function* (facet: FacetDeclaration, answer: unknown) {
  const said = yield* decode(answer)
  if (said === null) return null
  if (!facet.followUps.includes(said.followUp))
    return yield* Effect.fail(`it has not declared the follow-up "${said.followUp}"`)
  if ((said.suggestion !== undefined) !== (said.followUp === "suggest"))
    return yield* Effect.fail("a command goes with the follow-up suggest, and with no other")
  const firing: SoundFiring = {
    about: said.about,
    sentence: oneLine(said.sentence, reflectionLimits.sentenceBytes),
    followUp: said.followUp,
    evidence: kept(said.evidence),
    suggestion: said.suggestion === undefined ? null : oneLine(said.suggestion, limits.reasonBytes)
  }
  return firing
})
