/**
 * Seals a message: the whole envelope of what a sender says, held to the contract, with a payload that is its own: data, and within the limit.
 */
import {
  BoundedText,
  type Cause,
  compose,
  type Envelope,
  EnvelopeInvalid,
  limits,
  type MessageDraft,
  type MessageRefused,
  PayloadTooLarge,
  type Sender
} from "@muster/core"
import { Result } from "effect"

/** Who sends, beside what is said. */
export interface Writer {
  readonly address: string
  /** Null: the message begins a chain of its own. */
  readonly correlationId: string | null
  readonly traceContext: string | null
}

const refused = (messageType: string, { detail, reason }: BoundedText.NotEncodable): MessageRefused =>
  reason === "too_large"
    ? new PayloadTooLarge({ workflowType: `message ${messageType}`, limitBytes: limits.messageBytes })
    : new EnvelopeInvalid({ field: "payload", detail })

/** `cause`: the message that the draft's causation id names, where the sender has sent or got it. */
export const seal = (
  draft: MessageDraft,
  { address, correlationId, traceContext }: Writer,
  { messageId, sentAt }: Pick<Sender, "messageId" | "sentAt">,
  cause: Cause | null
): Result.Result<Envelope, MessageRefused> => {
  const sender: Sender = {
    producerAgent: address,
    correlationId: correlationId ?? draft.messageId ?? messageId,
    traceContext,
    messageId,
    sentAt
  }
  return Result.flatMap(compose(draft, sender, cause), (envelope) =>
    Result.mapBoth(BoundedText.encodeJson(envelope.payload, limits.messageBytes), {
      onFailure: (fault) => refused(envelope.messageType, fault),
      onSuccess: (text): Envelope => Object.assign({}, envelope, { payload: JSON.parse(text) })
    })
  )
}
