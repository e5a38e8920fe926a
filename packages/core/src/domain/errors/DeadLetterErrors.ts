/**
 * Errors about quarantine and replay.
 */
import { Schema } from "effect"

/** Somebody configured or pruned a mandatory dead letter away (seed, "Dead-Letter Contract"; R3). */
export class DeadLetterRequired extends Schema.TaggedError<DeadLetterRequired>()(
  "ORCH_DEAD_LETTER_REQUIRED",
  {
    /** The row, letter or rule that is refused. */
    subject: Schema.String,
    detail: Schema.String
  }
) {
  override get message() {
    return `A dead letter is mandatory for ${this.subject}: ${this.detail}.`
  }
}

/** A replay needs the original envelope, payload and trace, and the letter's consent (seed, "Replay policy"; R31). */
export class ReplayContextMissing extends Schema.TaggedError<ReplayContextMissing>()(
  "ORCH_REPLAY_CONTEXT_MISSING",
  {
    jobId: Schema.String,
    /** Null when the job has no letter (a FAILED or CANCELLED one). */
    deadLetterId: Schema.NullOr(Schema.String),
    /** The fields that are gone; holds `replay_eligible` when the letter forbids a replay. */
    missing: Schema.Array(Schema.String)
  }
) {
  override get message() {
    return this.missing.includes("replay_eligible")
      ? `Job ${this.jobId} is not eligible for replay. Allow it first: muster dlq allow --reason "…".`
      : `Job ${this.jobId} can't be replayed: ${this.missing.join(", ")} is missing. Submit it anew.`
  }
}
