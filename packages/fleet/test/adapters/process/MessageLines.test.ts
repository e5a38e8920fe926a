// Messages of agents that are programs: what they send by a line, what they get on standard input, and what they hear of it (R32).
import { assert, describe, it } from "@effect/vitest"
import { type AgentEvent, type Delivery, type Envelope, type Mail, Workflow } from "@muster/core"
import { recordMail } from "@muster/core/testing"
import { Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as ProcessRunner from "../../../src/adapters/process/ProcessRunner.ts"
import * as World from "../../fleet/World.ts"
import { deadOf } from "../../messages/Dead.ts"
import { run, sh } from "./Processes.ts"

const question: Envelope = {
  messageId: "m1",
  correlationId: "order-7",
  causationId: null,
  sentAt: 1_893_456_000_000,
  producerAgent: "agent:a",
  consumerAgent: "agent:b",
  messageType: "question",
  schemaVersion: 1,
  payload: { text: "ready?" },
  traceContext: null
}

const questionOf = (parts: Partial<Envelope>): Envelope => Object.assign({}, question, parts)

const message = (members: object) => `echo '${JSON.stringify({ type: "message", ...members })}'`
const telling = `printf '{"type":"result","result":%s}\\n' "$answer"`

/** Reads the payload, then as many lines as it is told, and ends with them as its result. */
const reader = `
  let text = ""
  const want = Number(process.argv[1])
  process.stdin.on("data", (chunk) => {
    text += chunk
    const lines = text.split("\\n").slice(0, -1)
    if (lines.length <= want) return
    console.log(JSON.stringify({ type: "result", result: lines.slice(1, want + 1).map((line) => JSON.parse(line)) }))
    process.exit(0)
  })`

const reads = (mail: Mail, lines: number) =>
  run([process.execPath, "-e", reader, String(lines)], {}, { stdin: "lines" }, {}, undefined, undefined, mail)

describe("message lines", () => {
  it.live(
    "are sent in the order in which they are written, under the contract's names, before the result is told",
    () =>
      Effect.gen(function* () {
        const { mail, sent } = recordMail()
        const script = [
          message({ to: "agent:b", message_type: "question", payload: { text: "ready?" }, priority: 2 }),
          message({
            consumer_agent: "agent:c",
            message_type: "note",
            causation_id: "m1",
            idempotency_key: "k",
            message_id: "mine"
          }),
          `echo '{"type":"result","result":1}'`
        ].join("; ")
        const { exit, lines } = yield* sh(script, {}, {}, {}, undefined, undefined, mail)
        assert.deepStrictEqual(exit, Exit.succeed(1))
        assert.deepInclude(sent[0], {
          to: "agent:b",
          messageType: "question",
          payload: { text: "ready?" },
          priority: 2
        })
        assert.deepInclude(sent[1], {
          to: "agent:c",
          causationId: "m1",
          idempotencyKey: "k",
          messageId: "mine"
        })
        assert.lengthOf(sent, 2)
        assert.include(lines, `sends "question"`)
      })
  )

  it.live("are answered on standard input: accepted, full, dead, or refused with the code", () =>
    Effect.gen(function* () {
      const said: Array<Effect.Effect<Delivery>> = [
        { _tag: "Accepted", messageId: "m1", duplicate: false } as const,
        { _tag: "Full", messageId: "m2" } as const,
        { _tag: "Dead", messageId: "m3", reason: "ended" } as const
      ].map((delivery) => Effect.succeed(delivery))
      const { mail } = recordMail()
      const answering: Mail = { ...mail, tell: () => said.shift() ?? Effect.die("too many") }
      const send = message({ to: "b", message_type: "note" })
      const script = `read -r payload; ${send}; read -r one; ${send}; read -r two; ${send}; read -r three; answer="[$one,$two,$three]"; ${telling}`
      const { exit } = yield* sh(script, {}, { stdin: "lines" }, {}, undefined, undefined, answering)
      assert.deepStrictEqual(
        exit,
        Exit.succeed([
          { type: "delivery", message_id: "m1", answer: "accepted" },
          { type: "delivery", message_id: "m2", answer: "full", code: "ORCH_MAILBOX_FULL" },
          { type: "delivery", message_id: "m3", answer: "dead", reason: "ended" }
        ])
      )
    })
  )

  it.live("that are too long to be read are refused, whatever their length", () =>
    Effect.gen(function* () {
      const { mail, sent } = recordMail()
      const script = `
        const large = JSON.stringify({ type: "message", to: "b", message_type: "note", payload: "x".repeat(5e6) })
        process.stdout.write(large + "\\n")
        let text = ""
        process.stdin.on("data", (chunk) => {
          text += chunk
          const [, answer] = text.split("\\n")
          if (answer) { console.log(JSON.stringify({ type: "result", result: JSON.parse(answer).code })); process.exit(0) }
        })`
      const command = [process.execPath, "-e", script]
      const { exit } = yield* run(command, {}, { stdin: "lines" }, {}, undefined, undefined, mail)
      assert.deepStrictEqual(exit, Exit.succeed("CONTRACT_PAYLOAD_TOO_LARGE"))
      assert.lengthOf(sent, 0)
    })
  )

  it.live("reach a program that reads lines, after its payload, one envelope a line", () =>
    Effect.gen(function* () {
      const second = questionOf({ messageId: "m2", payload: "zwei\nZeilen" })
      const { exit } = yield* reads(recordMail([question, second]).mail, 2)
      assert.deepStrictEqual(
        exit,
        Exit.succeed(
          [question, second].map(({ messageId, payload }) => ({
            type: "message",
            message_id: messageId,
            correlation_id: "order-7",
            causation_id: null,
            sent_at: "2030-01-01T00:00:00.000Z",
            producer_agent: "agent:a",
            consumer_agent: "agent:b",
            message_type: "question",
            schema_version: 1,
            payload,
            trace_context: null
          }))
        )
      )
    })
  )

  it.live("stay unread where the program doesn't read: what its pipe can't take is not taken", () =>
    Effect.gen(function* () {
      let taken = 0
      const large = questionOf({ payload: "x".repeat(60_000) })
      const mail: Mail = {
        ...recordMail().mail,
        take: Effect.sync(() => {
          taken++
          return large
        })
      }
      const first = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        sh(
          `echo up; exec sleep 1`,
          {},
          { stdin: "lines" },
          {},
          (event: AgentEvent) => {
            if (event._tag === "Line" && event.text === "up") Deferred.doneUnsafe(first, Exit.void)
          },
          undefined,
          mail
        )
      )
      yield* Deferred.await(first)
      yield* Fiber.join(fiber)
      assert.isAtLeast(taken, 1)
      assert.isAtMost(taken, 10, "some for the pipe, and one that waits for it")
    })
  )

  it.live("of a flood are left out and told, and the agent works on", () =>
    Effect.gen(function* () {
      const leftOut = yield* Deferred.make<void>()
      const { mail, sent } = recordMail()
      const slow: Mail = {
        ...mail,
        tell: (draft) => Effect.andThen(Deferred.await(leftOut), mail.tell(draft))
      }
      const line = JSON.stringify({ type: "message", to: "b", message_type: "note" })
      const script = `for (let n = 0; n < 3000; n++) console.log(${JSON.stringify(line)})`
      const listen = (event: AgentEvent) => {
        if (event._tag === "Line" && event.text.startsWith("message left out"))
          Deferred.doneUnsafe(leftOut, Exit.void)
      }
      const { exit } = yield* run([process.execPath, "-e", script], {}, {}, {}, listen, undefined, slow)
      assert.isTrue(Exit.isSuccess(exit))
      assert.isAtMost(sent.length, 2_999)
    })
  )
})

describe("a program among agents", () => {
  /** Answers the first message that it gets, and ends when it has heard what became of the answer. */
  const answerer = `
    let text = ""
    process.stdin.on("data", (chunk) => {
      text += chunk
      const lines = text.split("\\n").slice(0, -1).map((line) => JSON.parse(line))
      const [, asked, delivery] = lines
      if (delivery !== undefined) {
        console.log(JSON.stringify({ type: "result", result: { asked: asked.payload, delivery: delivery.answer } }))
        process.exit(0)
      }
      if (asked !== undefined)
        console.log(JSON.stringify({ type: "message", causation_id: asked.message_id, message_type: "answer", payload: 42 }))
    })`

  it.effect("is asked by a function, and answers in the question's chain", () =>
    Effect.gen(function* () {
      const runner = yield* ProcessRunner.make({
        command: [process.execPath, "-e", answerer],
        stdin: "lines",
        stopGraceMillis: 200
      })
      const program = Workflow.make("program", { payload: Schema.Unknown, result: Schema.Unknown, runner })
      const asker = Workflow.make("asker", {
        payload: Schema.String,
        result: Schema.Tuple([Schema.Finite, Schema.String, Schema.String]),
        run: (to, agent) =>
          Effect.gen(function* () {
            const message = { messageType: "question", payload: "the answer?" }
            const answer = yield* agent.ask(to, message, { deadline: "1 hour", reply: Schema.Finite })
            return [answer.payload, answer.messageType, answer.correlationId] as const
          })
      })
      const { fleet, store } = yield* World.withHost({ workflows: [program, asker], slots: 2 })
      const asked = yield* fleet.submit(program, {})
      const asking = yield* fleet.submit(asker, asked.jobId, { correlationId: "order-7" })
      assert.deepStrictEqual(yield* asking.result, [42, "answer", "order-7"])
      assert.deepStrictEqual(yield* asked.result, { asked: "the answer?", delivery: "accepted" })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* deadOf(store), [])
    })
  )

  it.effect(
    "with closed input isn't listening; what one with open input hasn't read is listed at its end",
    () =>
      Effect.gen(function* () {
        const make = (name: string, stdin: "payload" | "lines") =>
          Effect.map(
            ProcessRunner.make({ command: ["sh", "-c", "echo up; sleep 0.5"], stdin, stopGraceMillis: 200 }),
            (runner) => Workflow.make(name, { payload: Schema.Unknown, result: Schema.Unknown, runner })
          )
        const [deaf, open] = [yield* make("deaf", "payload"), yield* make("open", "lines")]
        const { fleet, store } = yield* World.withHost({ workflows: [deaf, open], slots: 2 })
        const one = yield* fleet.submit(deaf, {})
        const other = yield* fleet.submit(open, {})
        const payload = "x".repeat(60_000)
        assert.deepInclude(yield* fleet.tell(one.jobId, { payload }), {
          _tag: "Dead",
          reason: "not_listening"
        })
        for (let n = 0; n < 20; n++)
          assert.propertyVal(yield* fleet.tell(other.jobId, { payload }), "_tag", "Accepted")
        yield* one.result
        yield* other.result
        yield* TestClock.adjust("1 second")
        const reasons = (yield* deadOf(store)).map(([, reason]) => reason)
        assert.strictEqual(reasons[0], "not_listening")
        assert.isAtLeast(reasons.filter((reason) => reason === "unread").length, 10)
      })
  )
})
