/**
 * The envelope of a message between agents (the messaging contract): camelCase in code, the contract's names in JSON. What is missing or
 * malformed is named by its field.
 */
import { Result, Schema } from "effect"
import { limits } from "../Defaults.ts"
import { EnvelopeInvalid } from "../errors/MessageErrors.ts"
import { mismatch } from "../Mismatch.ts"
import { Instant, name, Traceparent } from "../Submission.ts"

const Key = name(limits.keyLength)

export const Envelope = Schema.Struct({
  /** Unique in the fleet; whoever gets one twice takes it once. */
  messageId: Key,
  /** Of the whole chain, and never changed along it. The first message of a chain has its sender's job's. */
  correlationId: Key,
  /** The message that caused this one; null for the first of a chain. */
  causationId: Schema.NullOr(Key),
  /** Epoch ms; ISO 8601 in JSON. */
  sentAt: Instant,
  /** `agent:<job id>`, or `operator:<name>` for people and hosts. */
  producerAgent: Key,
  /** As the producer; an operator can be answered while they wait for it. */
  consumerAgent: Key,
  /** What it says; the consumer's workflow declares what it understands. */
  messageType: name(limits.workflowTypeLength),
  /** Of the type's schema, from 1. */
  schemaVersion: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  /** JSON data. */
  payload: Schema.Unknown,
  /** W3C traceparent of the sender; null where there is none. */
  traceContext: Schema.NullOr(Traceparent),
  /** Larger is read first; left out: 0. */
  priority: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: -limits.priority, maximum: limits.priority }))
  ),
  /** Two messages of one producer with the same key are one; left out: the message's id alone tells. */
  idempotencyKey: Schema.optionalKey(Key)
}).pipe(
  Schema.encodeKeys({
    messageId: "message_id",
    correlationId: "correlation_id",
    causationId: "causation_id",
    sentAt: "sent_at",
    producerAgent: "producer_agent",
    consumerAgent: "consumer_agent",
    messageType: "message_type",
    schemaVersion: "schema_version",
    traceContext: "trace_context",
    idempotencyKey: "idempotency_key"
  })
)
type Fields = typeof Envelope.Type
/** An envelope; its payload is JSON data until the consumer's schema has decoded it. */
export interface Envelope<Payload = unknown> extends Omit<Fields, "payload"> {
  readonly payload: Payload
}

/** As it travels, in JSON: the contract's names. */
export type EnvelopeJson = typeof Envelope.Encoded

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The first thing that is wrong, by the field's name in the contract. */
const refused = (error: Schema.SchemaError): EnvelopeInvalid => {
  const { detail, path } = mismatch(error)
  const field = /^\["([^"]+)"\]/.exec(path)?.[1] ?? ""
  return new EnvelopeInvalid({ field: snake(field), detail })
}

const decodeUnknown = Schema.decodeUnknownResult(Envelope)
const decodeMade = Schema.decodeUnknownResult(Schema.toType(Envelope))
const encode = Schema.encodeSync(Envelope)

/** An envelope from JSON data. */
export const decodeEnvelope = (input: unknown): Result.Result<Envelope, EnvelopeInvalid> =>
  Result.mapError(decodeUnknown(input), refused)

/** Holds an envelope that a program has made to the contract. */
export const checkEnvelope = (made: unknown): Result.Result<Envelope, EnvelopeInvalid> =>
  Result.mapError(decodeMade(made), refused)

/** The envelope as JSON data. */
export const encodeEnvelope = (envelope: Envelope): EnvelopeJson => encode(envelope)
