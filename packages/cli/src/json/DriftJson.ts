/**
 * Where the model and what runs differ, as `muster model drift --json` tells it.
 */
import { type Drift, driftDimensions, driftKinds, driftLine } from "@muster/core"
import * as Schema from "effect/Schema"

export const DriftJson = Schema.Struct({
  mode: Schema.Literals(["audit", "block"]),
  store: Schema.String.annotate({ description: "The store that was looked at" }),
  compared: Schema.Struct({
    words: Schema.Int.annotate({ description: "Words of the store, each at its place" }),
    codes: Schema.Int.annotate({ description: "Error codes that the store holds" }),
    facets: Schema.Int,
    invariants: Schema.Int
  }),
  drifts: Schema.Array(
    Schema.Struct({
      dimension: Schema.Literals(driftDimensions),
      kind: Schema.Literals(driftKinds).annotate({
        description:
          "missing: declared and not there; undeclared: there and not declared; unguarded: nothing would refuse another word; unseen: a check that did not run"
      }),
      name: Schema.String.annotate({ description: "What has drifted" }),
      declared: Schema.String.annotate({ description: "The declared side: the file to edit" }),
      live: Schema.String.annotate({ description: "The live side: constraint, table or registry" }),
      line: Schema.String.annotate({ description: "MODEL-DRIFT: both sides in one sentence" })
    })
  )
})
export type DriftJson = typeof DriftJson.Type

export const driftJson = (drift: Drift): DriftJson["drifts"][number] => ({
  dimension: drift.dimension,
  kind: drift.kind,
  name: drift.name,
  declared: drift.declared,
  live: drift.live,
  line: driftLine(drift)
})
