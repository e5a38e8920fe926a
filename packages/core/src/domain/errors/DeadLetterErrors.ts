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
    /**
     * The fields that are gone; or what stands against it: `replay_eligible` (the letter forbids it), `letter_discarded`,
     * `replayed` (a verdict on its letter comes too late), `final_state` (the job has not failed and was not cancelled), `agent_end` (its
     * agent has not ended yet).
     */
    missing: Schema.Array(Schema.String)
  }
) {
  override get message() {
    if (this.missing.includes("final_state"))
      return `Job ${this.jobId} can't be replayed: only one that has failed, was quarantined or was cancelled can.`
    if (this.missing.includes("letter_discarded"))
      return `Job ${this.jobId} can't be replayed: its dead letter was discarded. Submit it anew, under another key.`
    if (this.missing.includes("replayed"))
      return `Job ${this.jobId} was replayed already: its dead letter stays as it is. Look at its replay: muster dlq show.`
    if (this.missing.includes("agent_end"))
      return `Job ${this.jobId} can't be replayed yet: its agent has not ended. Try again in a moment.`
    return this.missing.includes("replay_eligible")
      ? `Job ${this.jobId} is not eligible for replay. Allow it first: muster dlq allow --reason "…".`
      : `Job ${this.jobId} can't be replayed: ${this.missing.join(", ")} is missing. Submit it anew.`
  }
}
