/**
 * An explanation as `muster explain --json` gives it: the same sentences as for people, each in its place.
 */
import * as Schema from "effect/Schema"

export const ExplainJson = Schema.Struct({
  subject: Schema.Literals(["job", "agent", "code"]),
  id: Schema.String.annotate({ description: "Of the job, the agent or the code" }),
  state: Schema.NullOr(Schema.String).annotate({ description: "As its table names it; null for a code" }),
  why: Schema.Array(Schema.String).annotate({
    description: "Why it stands as it does, a sentence each; for a code, what it means"
  }),
  waits_for: Schema.Array(Schema.String).annotate({
    description: "What keeps it from running now, a sentence each; empty where nothing does"
  }),
  next: Schema.String.annotate({ description: "What happens next, and when" }),
  can: Schema.Array(
    Schema.Struct({
      command: Schema.String,
      effect: Schema.String.annotate({ description: "What it would do" })
    })
  ).annotate({ description: "What you can do" })
})
export type ExplainJson = typeof ExplainJson.Type

export type Advice = ExplainJson["can"][number]
