/**
 * Messages that nobody takes: why, and what is kept of them. Each is a dead letter of the message kind, bounded in number and bytes, and
 * all are counted.
 */
import { Schema } from "effect"
import { fits } from "../BoundedText.ts"
import { limits } from "../Defaults.ts"
import type { Envelope } from "./Envelope.ts"

/** The closed vocabulary, with what each reason means. */
export const undeliverable = {
  no_such_agent: "the store has no job of that id, or it is no agent's address",
  not_started: "its job waits for its first agent, and this host keeps no mailbox for it",
  between_lives: "it waits for its next attempt, and this host keeps no mailbox for it",
  not_listening:
    "it takes no messages: its program reads none, its workflow declares none, or its work is done",
  not_on_this_host: "it lives on another host of the store: messages are delivered within one host",
  ended: "its job is over",
  mailbox_full: "it has as many unread messages as it may have",
  payload_mismatch: "its workflow declares no such message, or another schema for it",
  reply_too_late: "who asked has stopped waiting for the answer",
  unread: "it ended without having read the message",
  host_stopped: "its host stopped before the message was read",
  no_host: "no running host answers: messages go from host to agent, and the store keeps none"
} as const

export type UndeliverableReason = keyof typeof undeliverable

// The keys of the object above, which TypeScript widens to strings.
export const undeliverableReasons = Object.keys(undeliverable) as ReadonlyArray<UndeliverableReason>

/** One message that came to nothing. */
export interface DeadMessage {
  readonly envelope: Envelope
  readonly reason: UndeliverableReason
  /** Epoch ms. */
  readonly at: number
}

/** What became of a message that was told. It is an answer, not an error: the sender decides what follows. */
export const Delivery = Schema.Union([
  /** It waits in the agent's mailbox, or was read. `duplicate`: it was there before, and is there once. */
  Schema.TaggedStruct("Accepted", { messageId: Schema.String, duplicate: Schema.Boolean }),
  /** The mailbox is full; the same message may be sent again. */
  Schema.TaggedStruct("Full", { messageId: Schema.String }),
  Schema.TaggedStruct("Dead", { messageId: Schema.String, reason: Schema.Literals(undeliverableReasons) })
])
export type Delivery = typeof Delivery.Type

/** The envelope as JSON text within its limit: without its payload where that is too much. */
export const boundedEnvelope = (json: { readonly payload: unknown }): string => {
  const whole = JSON.stringify(json)
  return fits(whole, limits.deadMessageBytes)
    ? whole
    : JSON.stringify({ ...json, payload: null, payload_left_out: true })
}

/** A dead letter of the message kind, as the command line and the API show it. */
export const DeadMessageJson = Schema.Struct({
  number: Schema.Int.annotate({ description: "Ascending in the order in which they were kept" }),
  at: Schema.String.annotate({ description: "When it was found undeliverable" }),
  reason: Schema.Literals(undeliverableReasons).annotate({ description: "From a closed vocabulary" }),
  message_id: Schema.String,
  producer_agent: Schema.String.annotate({ description: "agent:<job id> or operator:<name>" }),
  consumer_agent: Schema.String,
  message_type: Schema.String,
  envelope: Schema.Unknown.annotateKey({
    description: "The whole envelope; payload_left_out where its payload was too large to be kept"
  })
})
export type DeadMessageJson = typeof DeadMessageJson.Type
