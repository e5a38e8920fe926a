/**
 * What follows from a code, as `muster policy --json` tells it: the catalogue's row under the seed's names, and its waits.
 */
import { CodePolicy, type ErrorCatalogue, severities } from "@muster/core"
import * as Schema from "effect/Schema"

export const PolicyJson = Schema.Struct({
  asked: Schema.NullOr(Schema.String).annotate({
    description: "The code that was asked for; null in a list. `code` is the row that answers for it"
  }),
  code: Schema.String.annotate({ description: "The row: a code, a prefix like EXT_*, or *" }),
  category: Schema.NullOr(Schema.String),
  severity: Schema.Literals(severities),
  retryable: Schema.Boolean,
  max_attempts: Schema.Int.annotate({ description: "Attempts in all, the first one included" }),
  backoff_base_seconds: Schema.Finite,
  backoff_multiplier: Schema.Finite,
  max_backoff_seconds: Schema.Finite,
  jitter: Schema.Finite.annotate({
    description: "How far a wait may stray to either side, as a fraction of itself"
  }),
  dead_letter_on_exhaustion: Schema.Boolean,
  quarantine: Schema.Boolean.annotate({ description: "Whether a permanent failure leaves a dead letter" }),
  replay_eligible: Schema.Boolean,
  exit_code: Schema.Int,
  hint: Schema.String,
  delays_seconds: Schema.Array(Schema.Finite).annotate({
    description: "The wait before each attempt after the first, without jitter, as far as max_attempts allows"
  })
})
export type PolicyJson = typeof PolicyJson.Type

/** More waits are not written out; they are all equal to the last one by then. */
const shownDelays = 20

export const delaysSeconds = ({ plan, policy }: ErrorCatalogue.Entry): ReadonlyArray<number> =>
  policy.retryable
    ? Array.from(
        { length: Math.min(policy.maxAttempts - 1, shownDelays) },
        (_, index) => (plan[Math.min(index, plan.length - 1)] ?? 0) / 1_000
      )
    : []

const encode = Schema.encodeSync(CodePolicy)

export const policyJson = (entry: ErrorCatalogue.Entry, asked: string | null): PolicyJson => ({
  asked,
  ...encode(entry.policy),
  delays_seconds: delaysSeconds(entry)
})
