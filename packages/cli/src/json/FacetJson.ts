/**
 * A facet as `muster facets --json` tells it: what it has declared, and what it has said in this store.
 */
import {
  type FacetDeclaration,
  facetStatuses,
  followUps,
  genres,
  isoInstant,
  type Resolution,
  resolutions,
  tempoMillis,
  tempos
} from "@muster/core"
import * as Schema from "effect/Schema"
import type { Reflection } from "../store/Reflections.ts"

/** What a facet has said once; also in `muster status`. */
export const ReflectionJson = Schema.Struct({
  facet: Schema.String,
  event_id: Schema.String,
  at: Schema.String,
  actor: Schema.String.annotate({ description: "The host that asked it" }),
  about: Schema.String.annotate({ description: "The same words while it is the same thing" }),
  sentence: Schema.String,
  follow_up: Schema.Literals(followUps).annotate({
    description:
      "note: nothing more; tell: the host has said it aloud; look_again: and its loop has looked anew at the store; suggest: and there is a command to run"
  }),
  suggestion: Schema.NullOr(Schema.String).annotate({ description: "A command to run; null for none" }),
  evidence: Schema.Unknown.annotateKey({ description: "What the sentence rests on; null where it kept none" })
})
export type ReflectionJson = typeof ReflectionJson.Type

export const FacetJson = Schema.Struct({
  facet: Schema.String,
  declared: Schema.Boolean.annotate({
    description: "False: it has spoken in this store, and neither Muster nor the configuration declares it"
  }),
  holds: Schema.NullOr(Schema.String).annotate({ description: "What must be true for it to be silent" }),
  genre: Schema.NullOr(Schema.Literals(genres)),
  tempo: Schema.NullOr(Schema.Literals(tempos)),
  window_ms: Schema.NullOr(Schema.Int).annotate({
    description: "A host asks one facet of this tempo at most once in it"
  }),
  status: Schema.NullOr(Schema.Literals(facetStatuses)).annotate({
    description: "interface_ready: declared, and never asked"
  }),
  follow_ups: Schema.Array(Schema.Literals(followUps)),
  policy: Schema.NullOr(
    Schema.Struct({
      path: Schema.String,
      anchor: Schema.String,
      resolution: Schema.Literals(resolutions).annotate({
        description: "Whether it leads somewhere from here; a facet whose policy doesn't is not asked"
      })
    })
  ),
  fired: Schema.Int.annotate({
    description: "How often it has spoken in this store, as far back as was read"
  }),
  last: Schema.NullOr(ReflectionJson).annotate({ description: "Null: never" })
})
export type FacetJson = typeof FacetJson.Type

export const reflectionJson = ({ event, said }: Reflection): ReflectionJson => ({
  facet: said.facet,
  event_id: event.eventId,
  at: isoInstant(event.occurredAt),
  actor: event.actor,
  about: said.about,
  sentence: said.sentence,
  follow_up: said.follow_up,
  suggestion: said.suggestion,
  evidence: said.evidence
})

/** @param mine what it has said, the newest first */
export const facetJson = (
  key: string,
  declaration: FacetDeclaration | null,
  resolution: Resolution,
  mine: ReadonlyArray<Reflection>
): FacetJson => {
  const [newest] = mine
  return {
    facet: key,
    declared: declaration !== null,
    holds: declaration?.holds ?? null,
    genre: declaration?.genre ?? null,
    tempo: declaration?.tempo ?? null,
    window_ms: declaration === null ? null : tempoMillis[declaration.tempo],
    status: declaration?.status ?? null,
    follow_ups: declaration?.followUps ?? [],
    policy: declaration === null ? null : { ...declaration.policy, resolution },
    fired: mine.length,
    last: newest === undefined ? null : reflectionJson(newest)
  }
}
