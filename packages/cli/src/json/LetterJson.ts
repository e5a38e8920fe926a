/**
 * A dead letter as `muster dlq list --json` and `muster dlq show --json` tell it: the seed's fields.
 */
import {
  type DeadLetter,
  deadLetterId,
  isoInstant,
  type Job,
  jobId,
  type LetterRow,
  RetryHistoryEntry,
  type RetryRow
} from "@muster/core"
import * as Schema from "effect/Schema"
import { ChainJson } from "./ChainJson.ts"
import { retryHistory } from "./RetryJson.ts"

export const LetterJson = Schema.Struct({
  dead_letter_id: Schema.String,
  job_id: Schema.String,
  correlation_id: Schema.String,
  final_state: Schema.String.annotate({ description: "The job's state before quarantine" }),
  failure_error_code: Schema.String.annotate({
    description: "The real code, also where the budget was exhausted"
  }),
  failure_summary: Schema.String,
  retry_history: Schema.Array(RetryHistoryEntry).annotate({
    description: "Every failed attempt that was followed by another, the oldest first"
  }),
  payload_snapshot_ref: Schema.String.annotate({ description: "Names the immutable copy of the payload" }),
  quarantined_at: Schema.String,
  replay_eligible: Schema.Boolean,
  replayed_by: Schema.NullOr(Schema.String).annotate({
    description: "The job that replays it; null while nobody has"
  }),
  discarded_at: Schema.NullOr(Schema.String).annotate({
    description: "When an operator discarded it: it is not replayed any more; null while nobody has"
  })
})
/** Core's letter in its encoded form: the compiler holds the two together. */
export type LetterJson = typeof DeadLetter.Encoded

export const LetterStoryJson = Schema.Struct({
  ...LetterJson.fields,
  workflow_type: Schema.String,
  payload: Schema.Unknown,
  chain: ChainJson,
  raw: Schema.Unknown.annotateKey({
    description: "The damaged row, where it could not be decoded; else null"
  })
})
export type LetterStoryJson = typeof LetterStoryJson.Type

export const letterJson = (
  storeId: string,
  job: Job,
  row: LetterRow & { readonly replayed_by: number | null },
  retries: ReadonlyArray<RetryRow>
): LetterJson => ({
  dead_letter_id: deadLetterId(job.jobId),
  job_id: job.jobId,
  correlation_id: job.correlationId,
  final_state: row.final_state,
  failure_error_code: row.failure_error_code,
  failure_summary: row.failure_summary,
  retry_history: retries.map(retryHistory),
  // bodies are written once and live as long as their job, so the job's own payload is the immutable copy
  payload_snapshot_ref: `payload:${job.jobId}`,
  quarantined_at: isoInstant(row.quarantined_at),
  replay_eligible: row.replay_eligible !== 0,
  replayed_by: row.replayed_by === null ? null : jobId(storeId, row.replayed_by),
  discarded_at: row.discarded_at === null ? null : isoInstant(row.discarded_at)
})
