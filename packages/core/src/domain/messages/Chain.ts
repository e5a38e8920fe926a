/**
 * Chains of messages: what a sender leaves out is filled in from who they are and from the message that caused theirs. The correlation
 * id never changes along a chain, and the causation id names the message before.
 */
import { Result } from "effect"
import { EnvelopeInvalid } from "../errors/MessageErrors.ts"
import { checkEnvelope, type Envelope } from "./Envelope.ts"

/** A message as its sender says it; null and what is left out is filled in. */
export interface MessageDraft {
  /** `agent:<job id>`, or the job's id alone. Left out: the producer of the message that caused it. */
  readonly to?: string | null
  readonly messageType: string
  /** From 1, which it is where left out. */
  readonly schemaVersion?: number | null
  /** JSON data; left out: null. */
  readonly payload?: unknown
  readonly messageId?: string | null
  /** Left out: the cause's, else the sender's job's. */
  readonly correlationId?: string | null
  /** The message that caused it. */
  readonly causationId?: string | null
  /** W3C traceparent; left out: the sender's. */
  readonly traceContext?: string | null
  readonly priority?: number | null
  readonly idempotencyKey?: string | null
}

/** Who sends, and what stands where the draft says nothing. */
export interface Sender {
  readonly producerAgent: string
  readonly correlationId: string
  readonly traceContext: string | null
  readonly messageId: string
  /** Epoch ms. */
  readonly sentAt: number
}

/** What has to be known of a message that causes another. */
export type Cause = Pick<Envelope, "messageId" | "correlationId" | "producerAgent">

/** The address of a job's agent. */
export const agentAddress = (jobId: string): string => `agent:${jobId}`

/** The job behind an agent's address; null where it is nobody's. */
export const jobOfAddress = (address: string): string | null => {
  if (address.startsWith("agent:")) return address.slice("agent:".length)
  return address.includes(":") || address === "" ? null : address
}

/** What stands against `next` as a message that `cause` has caused; null: nothing. */
export const chainFault = (
  cause: Pick<Cause, "messageId" | "correlationId">,
  next: Pick<Envelope, "causationId" | "correlationId">
): EnvelopeInvalid | null => {
  if (next.causationId !== cause.messageId)
    return new EnvelopeInvalid({
      field: "causation_id",
      detail: `it names another message than ${cause.messageId}, which caused it`
    })
  if (next.correlationId !== cause.correlationId)
    return new EnvelopeInvalid({
      field: "correlation_id",
      detail: `${next.correlationId} is not ${cause.correlationId}, which its chain has from its start`
    })
  return null
}

/** The answer to a message: back to its producer, in its chain. */
export const replyTo = (
  asked: Pick<Envelope, "messageId" | "correlationId" | "producerAgent" | "messageType">,
  draft: Partial<MessageDraft>
): MessageDraft => ({
  ...draft,
  messageType: draft.messageType ?? `${asked.messageType}.reply`,
  to: asked.producerAgent,
  causationId: asked.messageId,
  correlationId: draft.correlationId ?? asked.correlationId
})

/** A message to somebody else that this one causes. */
export const causedBy = (
  cause: Pick<Envelope, "messageId" | "correlationId">,
  draft: MessageDraft
): MessageDraft => ({
  ...draft,
  causationId: cause.messageId,
  correlationId: draft.correlationId ?? cause.correlationId
})

/** The address as envelopes carry it: a bare job id is its agent's. */
const addressOf = (to: string): string => {
  const job = jobOfAddress(to)
  return job === null ? to : agentAddress(job)
}

/**
 * The whole envelope, held to the contract. `cause`: the message that the draft's causation id names, where it is known; null where
 * it is not, or there is none.
 */
export const compose = (
  draft: MessageDraft,
  sender: Sender,
  cause: Cause | null
): Result.Result<Envelope, EnvelopeInvalid> => {
  const { idempotencyKey, priority } = draft
  const to = draft.to ?? cause?.producerAgent
  const made = checkEnvelope({
    messageId: draft.messageId ?? sender.messageId,
    correlationId: draft.correlationId ?? cause?.correlationId ?? sender.correlationId,
    causationId: draft.causationId ?? null,
    sentAt: sender.sentAt,
    producerAgent: sender.producerAgent,
    ...(to === undefined ? {} : { consumerAgent: typeof to === "string" ? addressOf(to) : to }),
    messageType: draft.messageType,
    schemaVersion: draft.schemaVersion ?? 1,
    payload: draft.payload ?? null,
    traceContext: draft.traceContext ?? sender.traceContext,
    ...(priority === undefined || priority === null ? {} : { priority }),
    ...(idempotencyKey === undefined || idempotencyKey === null ? {} : { idempotencyKey })
  })
  return Result.flatMap(made, (envelope) => {
    const fault = cause === null ? null : chainFault(cause, envelope)
    return fault === null ? Result.succeed(envelope) : Result.fail(fault)
  })
}
