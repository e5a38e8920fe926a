/**
 * What `muster init --json` has written, and what to type next.
 */
import * as Schema from "effect/Schema"

export const InitJson = Schema.Struct({
  files: Schema.Array(Schema.String).annotate({
    description: "Written files, relative to the working directory"
  }),
  command: Schema.String.annotate({ description: "The command that runs them" })
})
export type InitJson = typeof InitJson.Type
