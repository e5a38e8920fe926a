// The envelope of a message, and the chains that messages make.
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  agentAddress,
  causedBy,
  chainFault,
  compose,
  jobOfAddress,
  type MessageDraft,
  replyTo,
  type Sender
} from "../../src/domain/messages/Chain.ts"
import { decodeEnvelope, type Envelope, encodeEnvelope } from "../../src/domain/messages/Envelope.ts"
import { declareMessages, readMessage } from "../../src/domain/messages/MessageTypes.ts"
import {
  boundedEnvelope,
  undeliverable,
  undeliverableReasons
} from "../../src/domain/messages/Undeliverable.ts"

const json = {
  message_id: "m1",
  correlation_id: "order-7",
  causation_id: null,
  sent_at: "2030-01-01T00:00:00.000Z",
  producer_agent: "agent:a",
  consumer_agent: "agent:b",
  message_type: "question",
  schema_version: 1,
  payload: { text: "ready?" },
  trace_context: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
}

const right = (input: unknown): Envelope => Result.getOrThrow(decodeEnvelope(input))
const wrong = (input: unknown) => Result.getOrThrow(Result.flip(decodeEnvelope(input)))
const sender = (from: string, messageId: string): Sender => ({
  producerAgent: from,
  correlationId: `job of ${from}`,
  traceContext: null,
  messageId,
  sentAt: 5
})
const sent = (draft: MessageDraft, from = "agent:a", cause: Envelope | null = null) =>
  compose(draft, sender(from, `from ${from}`), cause)

describe("the envelope of a message", () => {
  it("has the contract's names in JSON, and comes back whole", () => {
    const envelope = right({ ...json, priority: 3, idempotency_key: "once" })
    assert.deepInclude(envelope, { messageId: "m1", sentAt: 1_893_456_000_000, idempotencyKey: "once" })
    assert.deepStrictEqual(encodeEnvelope(envelope), { ...json, priority: 3, idempotency_key: "once" })
    assert.notProperty(encodeEnvelope(right(json)), "priority")
  })

  it("names every field that is missing", () => {
    for (const field of Object.keys(json)) {
      const error = wrong(Object.fromEntries(Object.entries(json).filter(([key]) => key !== field)))
      assert.deepStrictEqual([error._tag, error.field], ["CONTRACT_ENVELOPE_INVALID", field])
    }
  })

  it("names a field that is malformed", () => {
    for (const [field, value] of Object.entries({
      message_id: "",
      correlation_id: 7,
      causation_id: " x",
      sent_at: "yesterday",
      producer_agent: null,
      consumer_agent: "a\nb",
      message_type: "x".repeat(200),
      schema_version: 0,
      trace_context: "00-0-0-0",
      priority: 1.5,
      idempotency_key: ""
    }))
      assert.strictEqual(wrong({ ...json, [field]: value }).field, field)
    for (const nothing of [null, "text", 7, []]) assert.strictEqual(wrong(nothing).field, "")
  })
})

const Text = Schema.String.check(Schema.isPattern(/^[a-z]{1,9}$/))

describe("a chain of messages", () => {
  it("begins with the job's correlation id, at an agent's address", () => {
    const first = Result.getOrThrow(sent({ to: "b", messageType: "question" }))
    assert.deepInclude(first, {
      correlationId: "job of agent:a",
      causationId: null,
      consumerAgent: "agent:b",
      schemaVersion: 1,
      payload: null
    })
    assert.deepStrictEqual(["b", "agent:b", "operator:b", "", "x:y:z"].map(jobOfAddress), [
      "b",
      "b",
      null,
      null,
      null
    ])
    assert.strictEqual(jobOfAddress(agentAddress("b")), "b")
  })

  it.prop(
    "keeps its correlation id, however long it is and whoever takes part, and each names the one before",
    { parties: Schema.Array(Text), start: Text, isReply: Schema.Array(Schema.Boolean) },
    ({ isReply, parties, start }) => {
      let cause = right({ ...json, correlation_id: start })
      parties.forEach((party, index) => {
        const draft =
          isReply[index] === true
            ? replyTo(cause, {})
            : causedBy(cause, { to: party, messageType: "further" })
        const next = Result.getOrThrow(compose(draft, sender(`agent:${party}`, `m${index}`), cause))
        assert.deepInclude(next, { correlationId: start, causationId: cause.messageId })
        if (isReply[index] === true) assert.strictEqual(next.consumerAgent, cause.producerAgent)
        assert.isNull(chainFault(cause, next))
        cause = next
      })
    }
  )

  it.prop("refuses every other correlation id than its own", { other: Text }, ({ other }) => {
    const cause = right(json)
    const error = Result.getOrThrow(
      Result.flip(sent(replyTo(cause, { correlationId: other }), "agent:b", cause))
    )
    assert.deepStrictEqual([error._tag, error.field], ["CONTRACT_ENVELOPE_INVALID", "correlation_id"])
  })

  it("answers the one who asked where nobody else is named, and has to name somebody where nobody asked", () => {
    const cause = right(json)
    const reply = Result.getOrThrow(sent({ messageType: "answer", causationId: "m1" }, "agent:b", cause))
    assert.deepInclude(reply, { consumerAgent: "agent:a", correlationId: "order-7" })
    const error = Result.getOrThrow(Result.flip(sent({ messageType: "answer", causationId: "m1" })))
    assert.strictEqual(error.field, "consumer_agent")
    const other = Result.getOrThrow(
      Result.flip(sent({ messageType: "answer", causationId: "m2" }, "agent:b", cause))
    )
    assert.strictEqual(other.field, "causation_id")
  })
})

describe("declared messages", () => {
  const declared = declareMessages({
    question: { payload: Schema.Struct({ text: Schema.String }) },
    due: { payload: Schema.DateFromString, version: 2 }
  })
  const refusal = (changes: object) =>
    Result.getOrThrow(Result.flip(readMessage(declared, right({ ...json, ...changes })))).path

  it("are decoded by the type's schema; where none is declared they stay as they were sent", () => {
    assert.deepStrictEqual(Result.getOrThrow(readMessage(declared, right(json))).payload, { text: "ready?" })
    const due = right({ ...json, message_type: "due", schema_version: 2, payload: "2030-01-01T00:00:00Z" })
    assert.instanceOf(Result.getOrThrow(readMessage(declared, due)).payload, Date)
    assert.strictEqual(Result.getOrThrow(readMessage(null, due)).payload, due.payload)
  })

  it("name the place that doesn't fit: in the payload, the version, the type", () => {
    assert.strictEqual(refusal({ payload: { text: 7 } }), '["payload"]["text"]')
    assert.strictEqual(refusal({ payload: null }), '["payload"]')
    assert.strictEqual(refusal({ message_type: "due" }), '["schema_version"]')
    assert.strictEqual(refusal({ message_type: "rumour" }), '["message_type"]')
  })
})

describe("an undeliverable message", () => {
  it("has a reason of a closed vocabulary, and is kept within its limit", () => {
    assert.sameMembers([...undeliverableReasons].map(String), Object.keys(undeliverable))
    const small = encodeEnvelope(right(json))
    assert.strictEqual(boundedEnvelope(small), JSON.stringify(small))
    const large = JSON.parse(boundedEnvelope({ ...small, payload: "x".repeat(20_000) }))
    assert.deepInclude(large, { message_id: "m1", payload: null, payload_left_out: true })
  })
})
