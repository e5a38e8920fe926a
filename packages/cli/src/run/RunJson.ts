/**
 * What `muster run --json` prints, one document a line: the lifecycle events of the run's jobs as they are (they have no `type`), each job
 * when it is over, each line whose key is taken, and a summary as the last line.
 */
import { envelope, eventJson, JobEnvelope } from "@muster/core"
import { Schema } from "effect"
import { parsed } from "../json/Parsed.ts"
import type { News } from "./News.ts"

/** A job of the run is over: its envelope and its result. */
export const RunJobJson = Schema.Struct({
  type: Schema.Literal("job"),
  line: Schema.NullOr(Schema.Int).annotate({
    description: "The first line that asked for it; null for a job that waited already"
  }),
  already: Schema.Boolean.annotate({
    description: "It was over before this run: nothing ran, the stored result answers"
  }),
  ...JobEnvelope.fields,
  result: Schema.Unknown.annotateKey({ description: "The result of a COMPLETED job; else null" })
})
export type RunJobJson = typeof RunJobJson.Type

/** A line whose key belongs to a job with another payload. Nothing was stored for it. */
export const RunConflictJson = Schema.Struct({
  type: Schema.Literal("conflict"),
  line: Schema.Int,
  error_code: Schema.Literal("ORCH_DUPLICATE_IDEMPOTENCY_KEY"),
  workflow_type: Schema.String,
  idempotency_key: Schema.String,
  job_id: Schema.String.annotate({ description: "The job that has the key" })
})
export type RunConflictJson = typeof RunConflictJson.Type

/** The last line of every run. */
export const RunSummaryJson = Schema.Struct({
  type: Schema.Literal("summary"),
  workflow_types: Schema.Array(Schema.String).annotate({ description: "The workflows that the run served" }),
  store: Schema.String,
  lines: Schema.Int.annotate({ description: "Lines that were handed in; 0 without JOBS" }),
  unsubmitted: Schema.Int.annotate({ description: "Lines that an interruption came before" }),
  skipped: Schema.Int.annotate({ description: "Bad lines, left out by --skip-invalid" }),
  submitted: Schema.Int.annotate({ description: "Jobs that are new" }),
  duplicates: Schema.Int.annotate({ description: "Lines whose job was there already" }),
  already: Schema.Int.annotate({ description: "Those of them whose job was over before this run" }),
  conflicts: Schema.Int,
  jobs: Schema.Int.annotate({ description: "Jobs of this run, of all workflows" }),
  completed: Schema.Int,
  dead_lettered: Schema.Int,
  failed: Schema.Int.annotate({ description: "FAILED for good, without a dead letter" }),
  cancelled: Schema.Int,
  unfinished: Schema.Int.annotate({
    description:
      "Served here, and not over: the run was interrupted, or they wait for an answer (muster settle)"
  }),
  not_served: Schema.Int.annotate({
    description: "Of other workflows: stored, for a host that serves them, and not waited for"
  }),
  retries: Schema.Int.annotate({ description: "Retries that were scheduled during this run and count" }),
  elapsed_ms: Schema.Int,
  interrupted: Schema.Boolean,
  exit_code: Schema.Int
})
export type RunSummaryJson = typeof RunSummaryJson.Type

const jobDocument = ({ already, job, stored }: Extract<News, { _tag: "Over" }>): RunJobJson => ({
  type: "job",
  line: job.line,
  already,
  ...envelope(stored.job),
  result: parsed(stored.result)
})

const conflictDocument = (news: Extract<News, { _tag: "Conflict" }>): RunConflictJson => ({
  type: "conflict",
  line: news.line,
  error_code: "ORCH_DUPLICATE_IDEMPOTENCY_KEY",
  workflow_type: news.workflowType,
  idempotency_key: news.key,
  job_id: news.jobId
})

/** The document for it. */
export const newsJson = (news: News): unknown => {
  if (news._tag === "Event") return eventJson(news.event)
  return news._tag === "Over" ? jobDocument(news) : conflictDocument(news)
}
