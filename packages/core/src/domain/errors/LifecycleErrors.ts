/**
 * Errors about the life of a job or an agent: moves, identity, budget and cancelling.
 */
import { Schema } from "effect"

/** A key is taken by a job with another payload (seed, "Idempotency Rules"). Nothing was stored. */
export class DuplicateIdempotencyKey extends Schema.TaggedError<DuplicateIdempotencyKey>()(
  "ORCH_DUPLICATE_IDEMPOTENCY_KEY",
  {
    /** The job that holds the key. */
    jobId: Schema.String,
    workflowType: Schema.String,
    key: Schema.String
  }
) {
  override get message() {
    return `The idempotency key "${this.key}" of ${this.workflowType} belongs to job ${this.jobId}, whose payload differs. Submit the same payload to get that job's answer, or use another key.`
  }
}

/** The table has no such move. Nothing has changed. */
export class InvalidStateTransition extends Schema.TaggedError<InvalidStateTransition>()(
  "ORCH_INVALID_STATE_TRANSITION",
  {
    /** The name of the machine: job, agent or loop. */
    machine: Schema.String,
    state: Schema.String,
    event: Schema.String,
    /** The events that the table allows in `state`; empty for a final state. */
    legal: Schema.Array(Schema.String)
  }
) {
  override get message() {
    const legal = this.legal.length === 0 ? "nothing: the state is final" : this.legal.join(", ")
    return `The ${this.machine} machine has no move "${this.event}" from ${this.state}. Legal there: ${legal}.`
  }
}

/** Every attempt that the job or its code allows is used up; the job's `last_error_code` keeps the real code (R3). */
export class RetryBudgetExhausted extends Schema.TaggedError<RetryBudgetExhausted>()(
  "ORCH_RETRY_BUDGET_EXHAUSTED",
  {
    jobId: Schema.String,
    /** The code of the last attempt. */
    code: Schema.String,
    /** Burned attempts. */
    attempts: Schema.Int,
    /** Attempts that were allowed. */
    allowed: Schema.Int
  }
) {
  override get message() {
    return `Job ${this.jobId} has used ${this.attempts} of ${this.allowed} attempts, the last of which failed with ${this.code}. Mend the cause, then replay its dead letter.`
  }
}

/** The runtime found something that must never be so. Always a bug or a damaged store; the job is quarantined (R18). */
export class StateMachineInvariantBroken extends Schema.TaggedError<StateMachineInvariantBroken>()(
  "ORCH_STATE_MACHINE_INVARIANT_BROKEN",
  {
    /** The name of the invariant. */
    invariant: Schema.String,
    /** What broke it, as `kind:id`. */
    subject: Schema.String,
    detail: Schema.String
  }
) {
  override get message() {
    return `Invariant "${this.invariant}" is broken for ${this.subject}: ${this.detail}. The raw row is kept in the dead letter; please report it.`
  }
}

/** No job has this id in this store. */
export class JobNotFound extends Schema.TaggedError<JobNotFound>()("ORCH_JOB_NOT_FOUND", {
  jobId: Schema.String
}) {
  override get message() {
    return `There is no job ${this.jobId} in this store. Look at the store's path and the id.`
  }
}

/** The job is final, or its landing has begun and ends it (R26). */
export class CancelTooLate extends Schema.TaggedError<CancelTooLate>()("ORCH_CANCEL_TOO_LATE", {
  jobId: Schema.String,
  /** The job's state when the cancel arrived. */
  state: Schema.String
}) {
  override get message() {
    return `Job ${this.jobId} can't be cancelled any more: it is ${this.state}, and what it has landed stays landed.`
  }
}

/** Nobody asks about this step (any more): it is settled, or its incarnation still does it (R28). */
export class SettleTooLate extends Schema.TaggedError<SettleTooLate>()("ORCH_SETTLE_TOO_LATE", {
  jobId: Schema.String,
  marker: Schema.String,
  /** The steps of the job whose outcome is unknown; empty for none. */
  open: Schema.Array(Schema.String)
}) {
  override get message() {
    const open = this.open.map((marker) => `"${marker}"`).join(", ")
    const job = `Job ${this.jobId}`
    if (this.marker === "")
      return open === ""
        ? `${job} asks about no step.`
        : `${job} asks about several steps; say which: ${open}.`
    return `${job} doesn't ask about step "${this.marker}" (any more). Open there: ${open === "" ? "none" : open}.`
  }
}
