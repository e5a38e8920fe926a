/**
 * One job as people write it: a payload, or a submission when it has a `payload` key and else only a submission's fields.
 */

/** The fields of a submission beside its payload, under their names in JSON. */
const submissionFields = [
  "workflow_type",
  "idempotency_key",
  "priority",
  "max_retries",
  "run_at",
  "correlation_id",
  "trace_context"
] as const
type SubmissionField = (typeof submissionFields)[number]

/** A submission under its names in JSON, not yet checked. */
export type SubmissionDocument = { readonly [Field in SubmissionField]?: unknown } & {
  readonly payload: unknown
}

const known = new Set<string>(["payload", ...submissionFields])

const isSubmission = (value: unknown): value is SubmissionDocument =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.hasOwn(value, "payload") &&
  Object.keys(value).every((key) => known.has(key))

/** The submission that the value is, or that it is the payload of. */
export const submissionOf = (value: unknown): SubmissionDocument =>
  isSubmission(value) ? value : { payload: value }
