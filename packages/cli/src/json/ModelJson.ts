/**
 * The model as `muster model show --json` tells it: all that is declared. What decides an invariant is code, and left out.
 */
import { followUps, genres, facetStatuses, tempos } from "@muster/core"
import { forms, tiers } from "@muster/core/model"
import * as Schema from "effect/Schema"
import { MachineJson } from "./MachineJson.ts"

const Named = Schema.Struct({ id: Schema.String, sentence: Schema.String })

export const ModelJson = Schema.Struct({
  name: Schema.String,
  lanes: Schema.Array(Named).annotate({ description: "Who acts" }),
  carriers: Schema.Array(Named).annotate({
    description: "The closed set of what carries messages between lanes"
  }),
  seams: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      carrier: Schema.String,
      from: Schema.String,
      to: Schema.String,
      message: Schema.String,
      synchronous: Schema.Boolean.annotate({ description: "Whether the sender waits for the answer" }),
      carried_by: Schema.String.annotate({
        description: "The file that carries it, from the root of the repository"
      })
    })
  ),
  machines: Schema.Array(MachineJson),
  facets: Schema.Array(
    Schema.Struct({
      key: Schema.String,
      holds: Schema.String.annotate({ description: "What must be true for it to be silent" }),
      genre: Schema.Literals(genres),
      status: Schema.Literals(facetStatuses),
      tempo: Schema.Literals(tempos),
      policy: Schema.Struct({
        path: Schema.String,
        anchor: Schema.String.annotate({ description: "A heading; empty for the whole document" })
      }),
      follow_ups: Schema.Array(Schema.Literals(followUps))
    })
  ).annotate({ description: "The reflections that come with the fleet" }),
  invariants: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      sentence: Schema.String,
      lanes: Schema.Array(Schema.String),
      primitive: Schema.String.annotate({ description: "What the lanes rely on where they meet" }),
      form: Schema.Literals(forms),
      hairy: Schema.Boolean.annotate({
        description: "Two or more lanes, and a primitive whose outcome depends on who comes first"
      }),
      tier: Schema.Literals(tiers).annotate({
        description: "What verifies it; follows from lanes, primitive and form"
      }),
      source: Schema.String.annotate({ description: "Where the rule stands" })
    })
  )
})
export type ModelJson = typeof ModelJson.Type
