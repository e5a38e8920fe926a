/**
 * What became of each job that was to be replayed, as `muster dlq replay --json` tells it, one a line; and what a verdict on a letter
 * has brought about.
 */
import * as Schema from "effect/Schema"

export const ReplayJson = Schema.Struct({
  job_id: Schema.String.annotate({ description: "The job that was to be replayed" }),
  outcome: Schema.Literals(["replayed", "already_replayed", "would_replay", "refused"]).annotate({
    description: "would_replay: a dry run found nothing against it"
  }),
  replayed_by: Schema.NullOr(Schema.String).annotate({
    description: "The new job, or the one that an earlier request has made; null where there is none"
  }),
  code: Schema.NullOr(Schema.String).annotate({ description: "Why it was refused; else null" }),
  message: Schema.NullOr(Schema.String)
})
export type ReplayJson = typeof ReplayJson.Type

export const VerdictJson = Schema.Struct({
  job_id: Schema.String,
  outcome: Schema.Literals(["allowed", "forbidden", "discarded"]),
  changed: Schema.Boolean.annotate({
    description: "False: the letter said so already, and nothing was written"
  })
})
export type VerdictJson = typeof VerdictJson.Type
