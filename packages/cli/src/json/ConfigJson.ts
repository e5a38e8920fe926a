/**
 * What `muster config check --json` and `muster config show --json` say.
 */
import * as Schema from "effect/Schema"

const file = Schema.NullOr(Schema.String).annotate({
  description: "The configuration, relative to the working directory where it is below it; null for none"
})

export const ConfigCheckJson = Schema.Struct({
  file,
  valid: Schema.Boolean,
  problems: Schema.Array(
    Schema.Struct({
      path: Schema.String.annotate({
        description: "As in workflows.review.silence; empty for the whole file"
      }),
      detail: Schema.String.annotate({ description: "What was expected there and what was found" })
    })
  )
})
export type ConfigCheckJson = typeof ConfigCheckJson.Type

export const ConfigShowJson = Schema.Struct({
  file,
  settings: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      value: Schema.Unknown.annotate({
        description: "Times in milliseconds; of an environment the names alone"
      }),
      from: Schema.Struct({
        kind: Schema.Literals(["default", "file", "environment", "flag"]),
        name: Schema.NullOr(Schema.String).annotate({
          description: "The file, the variable or the flag; null for a default"
        })
      })
    })
  )
})
export type ConfigShowJson = typeof ConfigShowJson.Type
