/**
 * Errors of a host: its ownership, its mailboxes and its model.
 */
import { Schema } from "effect"

/** Another host has taken this one for lost; its epoch is over. It stops without writing (R20). */
export class HostFenced extends Schema.TaggedError<HostFenced>()("ORCH_HOST_FENCED", {
  /** The number that the store gave the host. */
  host: Schema.Int,
  /** The epoch that is over. */
  epoch: Schema.Int
}) {
  override get message() {
    return `Host ${this.host} has lost epoch ${this.epoch}: another host adopts its work. It has stopped; start it again.`
  }
}

/** The bounded user lane of an agent's mailbox is full. The message was not taken. */
export class MailboxFull extends Schema.TaggedError<MailboxFull>()("ORCH_MAILBOX_FULL", {
  jobId: Schema.String,
  /** Messages that the lane holds at most. */
  capacity: Schema.Int
}) {
  override get message() {
    return `The mailbox of job ${this.jobId} already holds ${this.capacity} messages. Send again when its agent has read some.`
  }
}

/** The declared model and the living fleet differ (drift gate). */
export class ModelDrift extends Schema.TaggedError<ModelDrift>()("ORCH_MODEL_DRIFT", {
  /** One sentence a difference. */
  findings: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The model and the fleet differ: ${this.findings.join("; ")}. Change the model or the fleet until they agree.`
  }
}
