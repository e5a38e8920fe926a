/**
 * The messages of one incarnation, as a runner reaches them: what was sent to its agent, and what that sends. Delivered within one host.
 */
import type { Effect } from "effect"
import type { PayloadTooLarge, PayloadTypeMismatch } from "../domain/errors/ContractErrors.ts"
import type {
  AskTimeout,
  EnvelopeInvalid,
  MailboxFull,
  MessageUndeliverable
} from "../domain/errors/MessageErrors.ts"
import type { MessageDraft } from "../domain/messages/Chain.ts"
import type { Envelope } from "../domain/messages/Envelope.ts"
import type { Delivery } from "../domain/messages/Undeliverable.ts"

/** The message breaks a contract, and nobody got it: its sender has to be mended. */
export type MessageRefused = EnvelopeInvalid | PayloadTypeMismatch | PayloadTooLarge

/** A question that came to nothing. */
export type AskFailed = MessageRefused | MailboxFull | MessageUndeliverable | AskTimeout

export interface Mail {
  /**
   * The next message, larger priority first: JSON data that fits the workflow's declared type. Waits for one. What was taken is read: a
   * failure afterwards doesn't bring it back.
   */
  readonly take: Effect.Effect<Envelope>
  /** Sends a message; what became of it is an answer. Never waits for the agent that it is for. */
  readonly tell: (draft: MessageDraft) => Effect.Effect<Delivery, MessageRefused>
  /**
   * Sends a message and waits for its answer (a message that it has caused, to this agent), for `limitMillis` at most. Interrupted or
   * too late, it waits no longer; what was asked for goes on.
   */
  readonly ask: (draft: MessageDraft, limitMillis: number) => Effect.Effect<Envelope, AskFailed>
}
