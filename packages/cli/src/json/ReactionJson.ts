/**
 * What follows from each code and how long the waits are, as `muster spec --json` tells them.
 */
import * as Schema from "effect/Schema"

const Consequence = Schema.Literals(["retry", "dead_letter", "fail"])

export const ReactionJson = Schema.Struct({
  code: Schema.String.annotate({ description: "A code, a prefix like EXT_*, or * for all others" }),
  category: Schema.NullOr(Schema.String),
  severity: Schema.String,
  retryable: Schema.Boolean,
  max_attempts: Schema.Int,
  backoff_base_seconds: Schema.Finite,
  backoff_multiplier: Schema.Finite,
  max_backoff_seconds: Schema.Finite,
  jitter: Schema.Finite,
  dead_letter_on_exhaustion: Schema.Boolean,
  first_failure: Consequence,
  exhausted: Schema.NullOr(Consequence).annotate({
    description: "Null for a code that is never tried again"
  }),
  attempts: Schema.Array(Schema.Struct({ workflow: Schema.String, allowed: Schema.Int })).annotate({
    description: "By workflow: the smaller of its budget and the code's"
  }),
  replay_eligible: Schema.Boolean,
  exit_code: Schema.Int,
  seen: Schema.Int.annotate({ description: "How often the store holds codes that this row answers for" }),
  hint: Schema.String
})

export const BackoffJson = Schema.Struct({
  code: Schema.String,
  formula: Schema.String,
  waits: Schema.Array(
    Schema.Struct({
      attempt: Schema.Int.annotate({ description: "The attempt that the wait is before, from 2 on" }),
      delay_seconds: Schema.Finite.annotate({ description: "Without jitter" }),
      earliest_seconds: Schema.Finite,
      latest_seconds: Schema.Finite
    })
  ),
  total_seconds: Schema.Finite.annotate({
    description: "All waits of the code's whole budget, without jitter"
  }),
  complete: Schema.Boolean.annotate({
    description: "False: more waits follow, all as long as the last one"
  })
})
