/**
 * The dead letter: what is kept of a job that ended in quarantine (seed, "Dead-Letter Contract"), and when it may be
 * replayed (seed, "Replay policy"; R31).
 */
import { Result, Schema } from "effect"
import { ReplayContextMissing } from "./errors/DeadLetterErrors.ts"

/** A letter as the decision makes it; history, payload and ids are read from their own rows. */
export interface DeadLetterDraft {
  /** The job's state before quarantine. */
  readonly finalState: string
  readonly failureErrorCode: string
  /** At most 1 KiB. */
  readonly failureSummary: string
  /** Epoch ms. */
  readonly quarantinedAt: number
  /** From the code's row; changed only by an operator's `dlq allow` or `dlq forbid`. */
  readonly replayEligible: boolean
  /** The raw row as JSON text, where it could not be decoded (R18); absent else. */
  readonly raw?: string
  /** Epoch ms at which an operator discarded it; null or left out: nobody has. */
  readonly discardedAt?: number | null
}

/** One failed attempt, as the retry log tells it. */
export const RetryHistoryEntry = Schema.Struct({
  /** Burned attempts so far, this one included. */
  attempt: Schema.Int,
  error_code: Schema.String,
  /** Whether the attempt counted. */
  burned: Schema.Boolean,
  delay_ms: Schema.Int,
  /** ISO 8601: when the next attempt was due. */
  next_at: Schema.String,
  /** ISO 8601: when this one failed. */
  at: Schema.String
})
export type RetryHistoryEntry = typeof RetryHistoryEntry.Type

/** The letter as the CLI and the API show it; in JSON under the seed's names. */
export const DeadLetter = Schema.Struct({
  deadLetterId: Schema.String,
  jobId: Schema.String,
  correlationId: Schema.String,
  /** The job's state before quarantine. */
  finalState: Schema.String,
  /** The real code, also where the budget was exhausted. */
  failureErrorCode: Schema.String,
  failureSummary: Schema.String,
  /** Every failed attempt that was followed by another, the oldest first. */
  retryHistory: Schema.Array(RetryHistoryEntry),
  /** Names the immutable copy of the payload, which retention keeps as long as the letter. */
  payloadSnapshotRef: Schema.String,
  /** ISO 8601. */
  quarantinedAt: Schema.String,
  replayEligible: Schema.Boolean,
  /** The job that replays it; null while nobody has. At most one, for ever. */
  replayedBy: Schema.NullOr(Schema.String),
  /** ISO 8601: when an operator discarded it; null: nobody has. It is not replayed any more. */
  discardedAt: Schema.NullOr(Schema.String)
}).pipe(
  Schema.encodeKeys({
    deadLetterId: "dead_letter_id",
    jobId: "job_id",
    correlationId: "correlation_id",
    finalState: "final_state",
    failureErrorCode: "failure_error_code",
    failureSummary: "failure_summary",
    retryHistory: "retry_history",
    payloadSnapshotRef: "payload_snapshot_ref",
    quarantinedAt: "quarantined_at",
    replayEligible: "replay_eligible",
    replayedBy: "replayed_by",
    discardedAt: "discarded_at"
  })
)
export type DeadLetter = typeof DeadLetter.Type

/** The letter's id: it derives from its job's, since a job has one at most (R12). */
export const deadLetterId = (jobId: string): string => `dlq:${jobId}`

/** What is left of the original job; null for what is gone. */
export interface EnvelopeContext {
  readonly workflowType: string | null
  readonly idempotencyKey: string | null
  readonly correlationId: string | null
  /** The encoded payload, as JSON text. */
  readonly payload: string | null
  /** Whether the original had a trace at all; a job without one is whole without one. */
  readonly traced: boolean
  readonly traceContext: string | null
}

/** What must be known of the job that is to be replayed; the letter's fields, or a FAILED or CANCELLED job's own. */
export interface ReplaySource {
  readonly jobId: string
  /** Null when the job has no letter. */
  readonly deadLetterId: string | null
  /** True for a job without a letter. */
  readonly replayEligible: boolean
}

/** Whether the letter consents and the original context is whole. */
export const replayable = (
  source: ReplaySource,
  context: EnvelopeContext
): Result.Result<void, ReplayContextMissing> => {
  const missing: Array<string> = []
  if (!source.replayEligible) missing.push("replay_eligible")
  if (context.workflowType === null) missing.push("workflow_type")
  if (context.idempotencyKey === null) missing.push("idempotency_key")
  if (context.correlationId === null) missing.push("correlation_id")
  if (context.payload === null) missing.push("payload")
  if (context.traced && context.traceContext === null) missing.push("trace_context")
  return missing.length === 0
    ? Result.void
    : Result.fail(
        new ReplayContextMissing({ jobId: source.jobId, deadLetterId: source.deadLetterId, missing })
      )
}
