// Agents of one host that talk to each other: who gets what, what the sender hears, and what becomes of what nobody reads.
import { assert, describe, it } from "@effect/vitest"
import { type AgentContext, type Delivery, type Envelope, limits, Workflow } from "@muster/core"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as World from "../fleet/World.ts"
import { deadOf, settled } from "./Dead.ts"

const text = { payload: Schema.String }

/** A workflow whose agents follow a function that the test gives, by payload. */
const actors = (
  acts: Readonly<Record<string, (agent: AgentContext) => Effect.Effect<unknown, unknown>>>,
  messages: Record<
    string,
    { readonly payload: Schema.Codec<unknown, unknown>; readonly version?: number }
  > = {
    question: text,
    text
  }
) =>
  Workflow.make("actor", {
    payload: Schema.String,
    result: Schema.Unknown,
    messages,
    maxRetries: 2,
    run: (name, agent) => Effect.suspend(() => acts[name]?.(agent) ?? Effect.succeed(null))
  })

/** The text of each message that comes, until `stop`. */
const listen = (agent: AgentContext) =>
  Effect.gen(function* () {
    const heard: Array<string> = []
    for (;;) {
      const { payload } = yield* agent.inbox.take
      if (payload === "stop") return heard
      heard.push(String(payload))
    }
  })

describe("agents of one host", () => {
  it.effect("ask and reply: the answer comes in the question's chain, under the asker's correlation id", () =>
    Effect.gen(function* () {
      const seen: Array<Envelope> = []
      const peer = Deferred.makeUnsafe<string>()
      const work = actors({
        answers: (agent) =>
          Effect.gen(function* () {
            const question = yield* agent.inbox.take
            seen.push(question)
            return yield* agent.reply(question, { payload: `yes to ${String(question.payload)}` })
          }),
        asks: (agent) =>
          Effect.gen(function* () {
            const to = yield* Deferred.await(peer)
            const answer = yield* agent.ask(
              to,
              { messageType: "question", payload: "ready?" },
              { deadline: "1 minute", reply: Schema.String }
            )
            seen.push(answer)
            return answer.payload
          })
      })
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 2 })
      const asker = yield* fleet.submit(work, "asks", { correlationId: "order-7" })
      const answerer = yield* fleet.submit(work, "answers")
      yield* Deferred.succeed(peer, answerer.jobId)
      assert.strictEqual(yield* asker.result, "yes to ready?")
      assert.propertyVal(yield* answerer.result, "_tag", "Accepted")
      const [question, answer] = seen
      assert.deepInclude(question, {
        correlationId: "order-7",
        causationId: null,
        producerAgent: `agent:${asker.jobId}`,
        consumerAgent: `agent:${answerer.jobId}`
      })
      assert.deepInclude(answer, {
        correlationId: "order-7",
        causationId: question?.messageId ?? "",
        messageType: "question.reply",
        consumerAgent: `agent:${asker.jobId}`
      })
    })
  )

  it.effect(
    "an ask that nobody answers in time fails with its code, and the late answer is undeliverable",
    () =>
      Effect.gen(function* () {
        const peer = Deferred.makeUnsafe<string>()
        const late = Deferred.makeUnsafe<void>()
        const work = actors({
          answers: (agent) =>
            Effect.gen(function* () {
              const question = yield* agent.inbox.take
              yield* Deferred.await(late)
              return yield* agent.reply(question, { payload: "yes" })
            }),
          asks: (agent) =>
            Effect.gen(function* () {
              const to = yield* Deferred.await(peer)
              const question = { messageType: "question", payload: "?" }
              return yield* Effect.flip(agent.ask(to, question, { deadline: "10 seconds" }))
            }).pipe(Effect.map(({ _tag }) => _tag))
        })
        const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 2 })
        const asker = yield* fleet.submit(work, "asks")
        const answerer = yield* fleet.submit(work, "answers")
        yield* Deferred.succeed(peer, answerer.jobId)
        yield* settled
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* asker.result, "ORCH_RETRYABLE_ASK_TIMEOUT")
        yield* Deferred.succeed(late, undefined)
        assert.deepInclude(yield* answerer.result, { _tag: "Dead", reason: "reply_too_late" })
        assert.deepStrictEqual(yield* deadOf(store), [["question.reply", "reply_too_late"]])
      })
  )

  it.effect("an operator's message goes the same way, and an answer finds them while they wait", () =>
    Effect.gen(function* () {
      const work = actors({
        answers: (agent) =>
          Effect.flatMap(agent.inbox.take, (message) => agent.reply(message, { payload: "no" }))
      })
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      const job = yield* fleet.submit(work, "answers")
      yield* settled
      const said = { payload: "stop?", from: "operator:ana", deadline: "1 second" } as const
      const answer = yield* fleet.ask(job.jobId, said)
      assert.deepInclude(answer, { payload: "no", consumerAgent: "operator:ana", messageType: "text.reply" })
      assert.strictEqual(answer.correlationId, answer.causationId, "a message of no job begins its own chain")
      const error = yield* Effect.flip(fleet.tell(job.jobId, { payload: "x", from: `agent:${job.jobId}` }))
      assert.deepInclude(error, { _tag: "CONTRACT_ENVELOPE_INVALID", field: "producer_agent" })
    })
  )

  it.effect("a message is taken once, a full mailbox says so, and larger priorities are read first", () =>
    Effect.gen(function* () {
      const open = Deferred.makeUnsafe<void>()
      const work = actors({ listens: (agent) => Effect.andThen(Deferred.await(open), listen(agent)) })
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 1 })
      const job = yield* fleet.submit(work, "listens")
      yield* settled
      const tell = (
        payload: string,
        more: { messageId?: string; idempotencyKey?: string; priority?: number } = {}
      ) => fleet.tell(job.jobId, { payload, from: "operator:ana", ...more })
      const answers: Array<Delivery> = [
        yield* tell("first", { messageId: "m1" }),
        yield* tell("first again", { messageId: "m1" }),
        yield* tell("second", { idempotencyKey: "k" }),
        yield* tell("second again", { idempotencyKey: "k" }),
        yield* tell("urgent", { priority: 1 })
      ]
      assert.deepStrictEqual(
        answers.map((answer) => answer._tag === "Accepted" && answer.duplicate),
        [false, true, false, true, false]
      )
      yield* tell("stop", { priority: -1 })
      for (let n = 4; n < 1_000; n++) yield* tell(`${n}`, { priority: -2 })
      assert.propertyVal(yield* tell("too much"), "_tag", "Full")
      const asked = fleet.ask(job.jobId, { payload: "too much", deadline: "1 second" })
      assert.propertyVal(yield* Effect.flip(asked), "_tag", "ORCH_MAILBOX_FULL")
      yield* Deferred.succeed(open, undefined)
      assert.deepStrictEqual(yield* job.result, ["urgent", "first", "second"])
      const tally = yield* store.tally(0)
      yield* TestClock.adjust("10 seconds")
      const { messages } = yield* store.tally(0)
      assert.isAtMost(tally.messages, messages)
      assert.strictEqual(messages, 2 + 996, "two were refused, and the others were unread at the end")
      const reasons = (yield* deadOf(store)).map(([, reason]) => reason)
      assert.deepStrictEqual(
        [...new Set(reasons)].map((reason) => [reason, reasons.filter((other) => other === reason).length]),
        [
          ["mailbox_full", 2],
          ["unread", 996]
        ]
      )
    })
  )

  it.effect(
    "a message that breaks the consumer's contract is refused, its place is named, and it is listed",
    () =>
      Effect.gen(function* () {
        const peer = Deferred.makeUnsafe<string>()
        const errors: Array<unknown> = []
        const work = actors({
          listens: listen,
          sends: (agent) =>
            Effect.gen(function* () {
              const to = yield* Deferred.await(peer)
              const refused = (message: object) =>
                Effect.map(
                  // What a program in plain JavaScript may hand in.
                  Effect.flip(agent.tell(to, message as never)),
                  (error) => errors.push(error)
                )
              yield* refused({ messageType: "question", payload: { text: "?" } })
              yield* refused({ messageType: "rumour", payload: "?" })
              yield* refused({ messageType: "question", payload: "?", schemaVersion: 2 })
              yield* refused({ messageType: "question", payload: "?", traceContext: "nonsense" })
              yield* refused({ payload: "?" })
              yield* refused({ messageType: "question", payload: "x".repeat(limits.messageBytes) })
              yield* refused({ messageType: "question", payload: 1n })
              const told = yield* agent.tell(to, { messageType: "question", payload: "ok", messageId: "q" })
              yield* refused({
                messageType: "question",
                payload: "?",
                causationId: "q",
                correlationId: "other"
              })
              yield* agent.tell(to, { messageType: "text", payload: "stop" })
              return told
            })
        })
        const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 2 })
        const listener = yield* fleet.submit(work, "listens")
        const sender = yield* fleet.submit(work, "sends")
        yield* settled
        yield* Deferred.succeed(peer, listener.jobId)
        assert.deepStrictEqual(yield* listener.result, ["ok"])
        yield* sender.result
        assert.deepStrictEqual(
          errors.map((error) => {
            // Each is one of the errors of a refusal.
            const { _tag, field, path } = error as { _tag: string; field?: string; path?: string }
            return [_tag, field ?? path]
          }),
          [
            ["CONTRACT_PAYLOAD_TYPE_MISMATCH", '["payload"]'],
            ["CONTRACT_PAYLOAD_TYPE_MISMATCH", '["message_type"]'],
            ["CONTRACT_PAYLOAD_TYPE_MISMATCH", '["schema_version"]'],
            ["CONTRACT_ENVELOPE_INVALID", "trace_context"],
            ["CONTRACT_ENVELOPE_INVALID", "message_type"],
            ["CONTRACT_PAYLOAD_TOO_LARGE", undefined],
            ["CONTRACT_ENVELOPE_INVALID", "payload"],
            ["CONTRACT_ENVELOPE_INVALID", "correlation_id"]
          ]
        )
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(
          (yield* deadOf(store)).map(([, reason]) => reason),
          ["payload_mismatch", "payload_mismatch", "payload_mismatch"]
        )
      })
  )

  it.effect("a slow reader delays neither the loop nor another agent", () =>
    Effect.gen(function* () {
      const stuck = Deferred.makeUnsafe<void>()
      const peer = Deferred.makeUnsafe<string>()
      const work = actors({
        slow: (agent) => Effect.andThen(Deferred.await(stuck), agent.inbox.take),
        sends: (agent) =>
          Effect.flatMap(Deferred.await(peer), (to) =>
            Effect.forEach(
              Array.from({ length: 1_100 }, (_, n) => n),
              (n) => agent.tell(to, { messageType: "text", payload: `${n}` })
            )
          ).pipe(Effect.map((all) => all.filter(({ _tag }) => _tag === "Full").length))
      })
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 2 })
      const slow = yield* fleet.submit(work, "slow")
      const quick = yield* fleet.submit(work, "sends")
      yield* settled
      yield* Deferred.succeed(peer, slow.jobId)
      assert.strictEqual(yield* quick.result, 100)
      assert.isNull(yield* (yield* fleet.submit(work, "other")).result)
      yield* Deferred.succeed(stuck, undefined)
      yield* slow.result
    })
  )

  it.effect("a fiber that waits for a message is interrupted with its agent, and loses nothing", () =>
    Effect.gen(function* () {
      const lives: Array<number> = []
      const work = actors({
        listens: (agent) =>
          Effect.gen(function* () {
            lives.push(agent.assignment.incarnation)
            if (lives.length > 1) return yield* listen(agent)
            const waiting = yield* Effect.forkChild(agent.inbox.take, { startImmediately: true })
            yield* Fiber.interrupt(waiting)
            return yield* Effect.fail("broken")
          })
      })
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 1 })
      const job = yield* fleet.submit(work, "listens")
      yield* settled
      // It waits for its next attempt: this host keeps what is sent to it meanwhile.
      assert.propertyVal(yield* fleet.tell(job.jobId, { payload: "meanwhile" }), "_tag", "Accepted")
      yield* fleet.tell(job.jobId, { payload: "stop" })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* job.result, ["meanwhile"])
      assert.deepStrictEqual(lives, [1, 2])
      assert.deepStrictEqual(yield* deadOf(store), [])
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(fleet.snapshot)))
    })
  )
})
