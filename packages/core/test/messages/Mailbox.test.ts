// A mailbox: bounded, ordered by priority, each message once; whatever is offered and taken.
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Envelope } from "../../src/domain/messages/Envelope.ts"
import { decideOffer, emptyMailbox, put, take } from "../../src/domain/messages/Mailbox.ts"

const limits = { messages: 3, bytes: 100 }

const envelope = (messageId: string, more: Partial<Envelope> = {}): Envelope => ({
  messageId,
  correlationId: "c",
  causationId: null,
  sentAt: 0,
  producerAgent: "agent:a",
  consumerAgent: "agent:b",
  messageType: "note",
  schemaVersion: 1,
  payload: null,
  traceContext: null,
  ...more
})

const Act = Schema.Union([
  Schema.Struct({
    id: Schema.Literals(["1", "2", "3"]),
    by: Schema.Literals(["agent:a", "agent:c"]),
    key: Schema.NullOr(Schema.Literals(["k", "l"])),
    priority: Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 1 })),
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
  }),
  Schema.Literal("take")
])

describe("a mailbox", () => {
  it.prop(
    "never holds more than it may, gives each message once, and the larger priority first",
    { acts: Schema.Array(Act) },
    ({ acts }) => {
      const mailbox = emptyMailbox()
      /** Accepted and not taken, in order of arrival. */
      const waiting: Array<{ readonly id: string; readonly priority: number; readonly bytes: number }> = []
      const seen = new Set<string>()
      for (const act of acts) {
        if (act === "take") {
          const best = Math.max(...waiting.map(({ priority }) => priority))
          const expected = waiting.find(({ priority }) => priority === best)
          const taken = take(mailbox)
          assert.strictEqual(
            taken === undefined ? undefined : `${taken.producerAgent} ${taken.messageId}`,
            expected?.id
          )
          if (expected !== undefined) waiting.splice(waiting.indexOf(expected), 1)
        } else {
          const { by, bytes, id, key, priority } = act
          const held = {
            envelope: envelope(id, {
              producerAgent: by,
              priority,
              ...(key === null ? {} : { idempotencyKey: key })
            }),
            bytes
          }
          const bulk = waiting.reduce((sum, each) => sum + each.bytes, 0)
          const known = seen.has(`${by} ${id}`) || (key !== null && seen.has(`${by} key ${key}`))
          const full =
            waiting.length >= limits.messages || (waiting.length > 0 && bulk + bytes > limits.bytes)
          const decided = decideOffer(mailbox, held, limits)
          assert.strictEqual(decided, known ? "duplicate" : full ? "full" : "accepted")
          if (decided !== "accepted") continue
          put(mailbox, held, limits)
          waiting.push({ id: `${by} ${id}`, priority, bytes })
          // There are ten marks in all, and twelve are remembered.
          seen.add(`${by} ${id}`)
          if (key !== null) seen.add(`${by} key ${key}`)
        }
        assert.isAtMost(mailbox.unread.length, limits.messages)
        assert.strictEqual(
          mailbox.bytes,
          waiting.reduce((sum, each) => sum + each.bytes, 0)
        )
      }
    }
  )

  it("takes a message larger than its bound where it is empty, since that one has passed its own limit", () => {
    const large = { envelope: envelope("1"), bytes: 1_000 }
    assert.strictEqual(decideOffer(emptyMailbox(), large, limits), "accepted")
  })

  it("forgets what it knew long ago, so that it stays small", () => {
    const mailbox = emptyMailbox()
    for (let n = 0; n < 1_000; n++) {
      put(mailbox, { envelope: envelope(`${n}`), bytes: 1 }, limits)
      take(mailbox)
    }
    assert.isAtMost(mailbox.known.size, 4 * limits.messages)
    assert.strictEqual(decideOffer(mailbox, { envelope: envelope("999"), bytes: 1 }, limits), "duplicate")
    assert.strictEqual(decideOffer(mailbox, { envelope: envelope("0"), bytes: 1 }, limits), "accepted")
  })
})
