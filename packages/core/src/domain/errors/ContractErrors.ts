/**
 * Errors of the data that goes in and comes out: a payload or a result that breaks its workflow's contract. Permanent.
 */
import { Schema } from "effect"

/** Doesn't decode by the workflow's schema. */
export class PayloadTypeMismatch extends Schema.TaggedError<PayloadTypeMismatch>()(
  "CONTRACT_PAYLOAD_TYPE_MISMATCH",
  {
    workflowType: Schema.String,
    /** Which of them failed; the submission is what stands beside the payload, a message is one to an agent of that workflow. */
    subject: Schema.Literals(["payload", "result", "submission", "message"]),
    /** Where in it, as in `["hosts"][0]["name"]`; empty for the whole. */
    path: Schema.String,
    detail: Schema.String
  }
) {
  override get message() {
    const place = this.path === "" ? "" : ` at ${this.path}`
    return `The ${this.subject} of ${this.workflowType} doesn't fit its schema${place}: ${this.detail}.`
  }
}

const sizes = {
  workflowType: Schema.String,
  /** The limit, in bytes of UTF-8 (R36). */
  limitBytes: Schema.Int
}

/** Refused at submit; nothing was stored. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()(
  "CONTRACT_PAYLOAD_TOO_LARGE",
  sizes
) {
  override get message() {
    return `The payload of ${this.workflowType} is larger than ${this.limitBytes} bytes. Pass a reference to the data instead.`
  }
}

export class ResultTooLarge extends Schema.TaggedError<ResultTooLarge>()("CONTRACT_RESULT_TOO_LARGE", sizes) {
  override get message() {
    return `The result of ${this.workflowType} is larger than ${this.limitBytes} bytes. Store the data as an artifact and answer with a reference.`
  }
}

/** A step of an agent can't be kept (R28): by its name, by its result, or because its stored result doesn't fit any more. */
export class MarkerInvalid extends Schema.TaggedError<MarkerInvalid>()("CONTRACT_MARKER_INVALID", {
  jobId: Schema.String,
  marker: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `Step "${this.marker}" of job ${this.jobId} can't be kept: ${this.detail}.`
  }
}
