/**
 * One row of the error catalogue: what follows from a code, or from all codes of a prefix (seed, "Error Handling
 * Integration"). Authors write only what differs; the rest comes from the next shorter row that matches.
 */
import { Schema } from "effect"
import { categories, maxCodeLength } from "./Code.ts"
import * as RetryPolicy from "./RetryPolicy.ts"

export const severities = ["info", "warning", "error", "critical"] as const
export type Severity = (typeof severities)[number]

const rowCode = new RegExp(`^(?:(?:${categories.join("|")})_(?:[A-Z0-9_]+|[A-Z0-9_]*\\*)|\\*)$`)

/** Whether a text may head a row: a code, a prefix and `*`, or `*` alone. */
export const isRowCode = (text: string): boolean => text.length <= maxCodeLength && rowCode.test(text)

const answers = {
  ...RetryPolicy.fields,
  /** `critical` always leaves a dead letter (R3). */
  severity: Schema.Literals(severities),
  /** Whether an attempt that failed so may be followed by another. */
  retryable: Schema.Boolean,
  /** Retryable codes must say true: the letter is mandatory then. Without meaning for the others. */
  deadLetterOnExhaustion: Schema.Boolean,
  /** Whether a permanent failure leaves a dead letter; without meaning for retryable codes. */
  quarantine: Schema.Boolean,
  /** Whether the letter may be replayed before somebody allows it (R31). */
  replayEligible: Schema.Boolean,
  /** What the command exits with when this is its only failure; 3 where a job merely failed. */
  exitCode: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 })),
  /** What to do about it: one sentence for people. */
  hint: Schema.String.check(Schema.isMaxLength(500))
}

const jsonNames = {
  backoffBaseSeconds: "backoff_base_seconds",
  backoffMultiplier: "backoff_multiplier",
  maxBackoffSeconds: "max_backoff_seconds",
  maxAttempts: "max_attempts",
  deadLetterOnExhaustion: "dead_letter_on_exhaustion",
  replayEligible: "replay_eligible",
  exitCode: "exit_code"
} as const

const head = Schema.String.check(
  Schema.makeFilter(isRowCode, { expected: "an error code, a prefix like EXT_*, or *" })
)

/** A row with every answer, as the catalogue holds and prints it; in JSON under the seed's names. */
export const CodePolicy = Schema.Struct({
  code: head,
  /** That of the code; null for `*`, which answers for codes of no known category. */
  category: Schema.NullOr(Schema.Literals(categories)),
  ...answers
}).pipe(Schema.encodeKeys(jsonNames))
export type CodePolicy = typeof CodePolicy.Type

/** A row as plugins and hosts write it: the code, and what is to be different for it. */
export const CatalogueRow = Schema.Struct({
  code: head,
  severity: Schema.optionalKey(answers.severity),
  retryable: Schema.optionalKey(answers.retryable),
  maxAttempts: Schema.optionalKey(answers.maxAttempts),
  backoffBaseSeconds: Schema.optionalKey(answers.backoffBaseSeconds),
  backoffMultiplier: Schema.optionalKey(answers.backoffMultiplier),
  maxBackoffSeconds: Schema.optionalKey(answers.maxBackoffSeconds),
  jitter: Schema.optionalKey(answers.jitter),
  deadLetterOnExhaustion: Schema.optionalKey(answers.deadLetterOnExhaustion),
  quarantine: Schema.optionalKey(answers.quarantine),
  replayEligible: Schema.optionalKey(answers.replayEligible),
  exitCode: Schema.optionalKey(answers.exitCode),
  hint: Schema.optionalKey(answers.hint)
}).pipe(Schema.encodeKeys(jsonNames))
export type CatalogueRow = typeof CatalogueRow.Type
