/**
 * The job: its envelope (names of the seed "Orchestrator Lifecycle Reliability" in JSON) and, in the same row, its agent.
 */
import { DateTime, Schema } from "effect"
import { type Agent, agentId } from "./Agent.ts"
import { JobMachine, type JobState } from "./JobMachine.ts"

export interface Job {
  /** The store's number for the job, from 1, in order of arrival. */
  readonly seq: number
  /** `<store id>-<seq>`: derived, so that equal runs give equal ids (R12). */
  readonly jobId: string
  /** Raised by one with each write of the row; a write that expects another version is refused. */
  readonly version: number
  readonly workflowType: string
  /** Unique together with `workflowType` among jobs that no replay has superseded (R17). */
  readonly idempotencyKey: string
  /** SHA-256 (hex) of the encoded payload in RFC 8785 form. */
  readonly payloadFingerprint: string
  readonly state: JobState
  /** Larger first (R7). */
  readonly priority: number
  /** Epoch ms before which the job must not start; a retry moves it. */
  readonly runAt: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Retries that were scheduled and burned an attempt; burned attempts are this plus the one that runs. */
  readonly retryCount: number
  readonly maxRetries: number
  /** The code of the latest failed attempt; kept when a later one succeeds; null when none failed. */
  readonly lastErrorCode: string | null
  /** Defaults to the job's id; immutable along a chain of replays and messages. */
  readonly correlationId: string
  /** A W3C traceparent; null where the submitter gave none. */
  readonly traceContext: string | null
  /** The job that this one replays; null for an original. */
  readonly replayOf: number | null
  /** The replay that took over this job's key; null while the key is its own. */
  readonly supersededBy: number | null
  /** Why the job is parked until an operator settles it, JSON text (R28); null: it is not. */
  readonly hold: string | null
  /** Null until the job is accepted. */
  readonly agent: Agent | null
}

/** Whether a host may take the job now or when it is due (R9), its workflow being served there. */
export const isRunnable = (job: Job): boolean =>
  (job.state === "PENDING" || job.state === "RETRY_SCHEDULED") &&
  job.hold === null &&
  (job.agent === null ||
    (job.agent.owner === null &&
      (job.agent.standing === "waiting" || job.agent.standing === "landing_unknown")))

const Instant = Schema.String

/** The job as the CLI and the API show it: the seed's field names, instants in ISO 8601 UTC. */
export const JobEnvelope = Schema.Struct({
  job_id: Schema.String.annotate({ description: "The store's id and the job's number" }),
  correlation_id: Schema.String.annotate({
    description: "Shared by all jobs of one cause; the job's own id where nobody said"
  }),
  idempotency_key: Schema.String.annotate({ description: "Unique in its workflow: one operation, one job" }),
  workflow_type: Schema.String.annotate({ description: "The name of the workflow" }),
  current_state: Schema.Literals(JobMachine.states),
  created_at: Instant,
  updated_at: Instant.annotate({ description: "The last move of the job or of its agent" }),
  retry_count: Schema.Int.annotate({ description: "Retries that were scheduled and burned an attempt" }),
  max_retries: Schema.Int.annotate({ description: "Retries after the first attempt, at most" }),
  last_error_code: Schema.NullOr(Schema.String).annotate({
    description: "Of the latest failed attempt, kept when a later one succeeds; null when none failed"
  }),
  owner_agent: Schema.NullOr(Schema.String).annotate({
    description: "The agent that owns the job; null until it is accepted"
  }),
  trace_context: Schema.NullOr(Schema.String).annotate({
    description: "A W3C traceparent; null where the submitter gave none"
  }),
  payload_fingerprint: Schema.String.annotate({ description: "SHA-256 of the payload in RFC 8785 form" }),
  priority: Schema.Int.annotate({ description: "Larger first" }),
  run_at: Instant.annotate({ description: "Not before this instant; a retry moves it" }),
  replay_of: Schema.NullOr(Schema.String).annotate({
    description: "The job that this one replays; null for an original"
  })
})
export type JobEnvelope = typeof JobEnvelope.Type

/** An instant in epoch ms as ISO 8601 in UTC. */
export const isoInstant = (epochMillis: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(epochMillis))

/** The id of job number `seq` in the store `storeId`. */
export const jobId = (storeId: string, seq: number): string => `${storeId}-${seq}`

/**
 * The number behind a job's id, or behind the short form that people type (`17`); undefined when it is neither, or
 * names another store.
 */
export const seqOf = (storeId: string, id: string): number | undefined => {
  const short = id.startsWith(`${storeId}-`) ? id.slice(storeId.length + 1) : id
  return /^[1-9]\d{0,14}$/.test(short) ? Number(short) : undefined
}

/** The public envelope of a job; payload and result are kept apart and added by who asks for them. */
export const envelope = (job: Job): JobEnvelope => ({
  job_id: job.jobId,
  correlation_id: job.correlationId,
  idempotency_key: job.idempotencyKey,
  workflow_type: job.workflowType,
  current_state: job.state,
  created_at: isoInstant(job.createdAt),
  updated_at: isoInstant(job.updatedAt),
  retry_count: job.retryCount,
  max_retries: job.maxRetries,
  last_error_code: job.lastErrorCode,
  owner_agent: job.agent === null ? null : agentId(job.jobId),
  trace_context: job.traceContext,
  payload_fingerprint: job.payloadFingerprint,
  priority: job.priority,
  run_at: isoInstant(job.runAt),
  replay_of:
    job.replayOf === null ? null : jobId(job.jobId.slice(0, job.jobId.lastIndexOf("-")), job.replayOf)
})
