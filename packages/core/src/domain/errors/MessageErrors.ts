/**
 * Errors of messages between agents: an envelope that breaks the contract, and a message or a question that came to nothing.
 */
import { Schema } from "effect"
import { undeliverable, undeliverableReasons } from "../messages/Undeliverable.ts"

/** A field of the envelope is missing, malformed, or breaks its chain. */
export class EnvelopeInvalid extends Schema.TaggedError<EnvelopeInvalid>()("CONTRACT_ENVELOPE_INVALID", {
  /** As the contract spells it: `correlation_id`. Empty where there is no envelope at all. */
  field: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `The message's ${this.field === "" ? "envelope" : this.field} is missing or malformed: ${this.detail}.`
  }
}

/** The agent has as many unread messages as it may have; the sender may try again. */
export class MailboxFull extends Schema.TaggedError<MailboxFull>()("ORCH_MAILBOX_FULL", {
  messageId: Schema.String,
  consumer: Schema.String
}) {
  override get message() {
    return `The mailbox of ${this.consumer} is full: message ${this.messageId} was not taken. Send it again later.`
  }
}

/** Nobody takes the message. */
export class MessageUndeliverable extends Schema.TaggedError<MessageUndeliverable>()(
  "ORCH_MESSAGE_UNDELIVERABLE",
  {
    messageId: Schema.String,
    consumer: Schema.String,
    reason: Schema.Literals(undeliverableReasons)
  }
) {
  override get message() {
    return `${this.messageId === "" ? "A message" : `Message ${this.messageId}`} to ${this.consumer} can't be delivered (${this.reason}): ${undeliverable[this.reason]}.`
  }
}

/** The question was delivered, and no answer came before its deadline. What was asked for may happen all the same. */
export class AskTimeout extends Schema.TaggedError<AskTimeout>()("ORCH_RETRYABLE_ASK_TIMEOUT", {
  messageId: Schema.String,
  consumer: Schema.String,
  /** In milliseconds. */
  limitMillis: Schema.Finite
}) {
  override get message() {
    return `${this.consumer} did not answer message ${this.messageId} within ${this.limitMillis} ms.`
  }
}
