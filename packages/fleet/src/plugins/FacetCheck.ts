/**
 * Holds what a facet declares of itself against the closed vocabularies: a plugin may be plain JavaScript, and what is declared wrongly can't
 * be a node of the model.
 */
import {
  ConfigInvalid,
  type Facet,
  facetStatuses,
  followUps,
  genres,
  isFacetKey,
  mismatch,
  tempos
} from "@muster/core"
import { Effect, Schema } from "effect"

const Declaration = Schema.Struct({
  key: Schema.String.check(
    Schema.makeFilter(isFacetKey, { expected: "words of a-z and 0-9 with hyphens between" })
  ),
  holds: Schema.NonEmptyString,
  genre: Schema.Literals(genres),
  tempo: Schema.Literals(tempos),
  status: Schema.Literals(facetStatuses),
  policy: Schema.Struct({ path: Schema.NonEmptyString, anchor: Schema.String }),
  followUps: Schema.NonEmptyArray(Schema.Literals(followUps))
})
const decode = Schema.decodeUnknownEffect(Declaration, { errors: "first" })

/** Fails with the place that is wrong. */
export const checkFacet = (facet: Facet, plugin: string): Effect.Effect<void, ConfigInvalid> =>
  decode(facet).pipe(
    Effect.asVoid,
    Effect.mapError((error) => {
      const { detail, path } = mismatch(error)
      return new ConfigInvalid({ path: `plugins["${plugin}"].facet["${facet.key}"]${path}`, detail })
    })
  )
