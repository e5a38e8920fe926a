/**
 * How a command that fails says so with `--json`: one document on standard error.
 */
import * as Schema from "effect/Schema"

export const FailureJson = Schema.Struct({
  code: Schema.String.annotate({
    description: "A code of the catalogue; usage, unavailable, io or unexpected where the failure has none"
  }),
  message: Schema.String,
  hint: Schema.String.annotate({ description: "What to do about it; empty where there is nothing to add" }),
  exit_code: Schema.Int
})
export type FailureJson = typeof FailureJson.Type
