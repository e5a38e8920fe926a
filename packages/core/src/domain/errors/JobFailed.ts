/**
 * How a job that didn't complete answers the one who waits for its result. The one error that carries a code instead
 * of being one: any code, also one that only the job's own workflow knows, may stand in it.
 */
import { Schema } from "effect"

export class JobFailed extends Schema.TaggedError<JobFailed>()("JobFailed", {
  jobId: Schema.String,
  /** The job's `last_error_code`; null for a job that was cancelled before anything failed. */
  code: Schema.NullOr(Schema.String),
  /** What happened, in at most 1 KiB. */
  summary: Schema.String,
  /** Where the job is kept for replay; null when it was not quarantined. */
  deadLetterId: Schema.NullOr(Schema.String)
}) {
  override get message() {
    const kept = this.deadLetterId === null ? "" : ` It is kept as dead letter ${this.deadLetterId}.`
    return `Job ${this.jobId} failed${this.code === null ? "" : ` with ${this.code}`}: ${this.summary}.${kept}`
  }
}
