// Messages that nobody takes: each has its reason, is answered so, and is listed and counted.
import { assert, describe, it } from "@effect/vitest"
import { limits, Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Deferred, Effect, Fiber, Schema, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { DeadMessages } from "../../src/messages/DeadMessages.ts"
import { scriptedWorkflow } from "../fleet/Scripted.ts"
import * as World from "../fleet/World.ts"
import { deadOf, settled } from "./Dead.ts"

/** Agents that wait until the test opens them, and never read. */
const waiting = (open: Deferred.Deferred<void>, name = "waits") =>
  Workflow.make(name, {
    payload: Schema.Int,
    result: Schema.Int,
    messages: { text: { payload: Schema.String } },
    run: (n) => Effect.as(Deferred.await(open), n)
  })

const hello = { payload: "hello" }

describe("a message that nobody takes", () => {
  it.effect("has a reason: no such agent, not listening, ended", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [
        ScriptedRunner.waitFor("open"),
        ScriptedRunner.succeed(1)
      ])
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 1 })
      const job = yield* fleet.submit(work, 1)
      const later = yield* fleet.submit(work, 2)
      yield* scripted.started(1)
      const reasons: Array<string> = []
      for (const to of ["nobody", "team:blue", "operator:ana", job.jobId, `agent:${later.jobId}`]) {
        const answer = yield* fleet.tell(to, hello)
        if (answer._tag === "Dead") reasons.push(answer.reason)
      }
      yield* scripted.release("open")
      yield* job.result
      yield* later.result
      const answer = yield* fleet.tell(job.jobId, hello)
      assert.deepInclude(answer, { _tag: "Dead", reason: "ended" })
      const expected = ["no_such_agent", "no_such_agent", "not_listening", "not_listening", "not_listening"]
      assert.deepStrictEqual(reasons, expected)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        (yield* deadOf(store)).map(([, reason]) => reason),
        [...expected, "ended"]
      )
      assert.strictEqual((yield* store.tally(0)).messages, 6)
    })
  )

  it.effect("is listed when its agent ends without having read it, with its whole envelope", () =>
    Effect.gen(function* () {
      const open = Deferred.makeUnsafe<void>()
      const work = waiting(open)
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 1 })
      const job = yield* fleet.submit(work, 1)
      const later = yield* fleet.submit(work, 2)
      yield* settled
      yield* fleet.tell(job.jobId, { ...hello, from: "operator:ana", correlationId: "order-7" })
      assert.propertyVal(yield* fleet.tell(later.jobId, hello), "_tag", "Accepted", "it begins here soon")
      const asked = yield* Effect.forkChild(
        Effect.flip(fleet.ask(job.jobId, { ...hello, deadline: "1 hour" })),
        { startImmediately: true }
      )
      const cancelling = yield* Effect.forkChild(fleet.cancel(later.jobId), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(cancelling)
      yield* Deferred.succeed(open, undefined)
      yield* job.result
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(asked)
      assert.deepInclude(error, { reason: "unread" }, "who asks doesn't wait for their deadline")
      const rows = yield* store.records({ kind: "messages", job: null, after: 0, limit: 10 })
      assert.deepStrictEqual(
        rows.map(({ row }) => [row.consumer_agent, row.reason]),
        [
          [`agent:${later.jobId}`, "unread"],
          [`agent:${job.jobId}`, "unread"],
          [`agent:${job.jobId}`, "unread"]
        ]
      )
      const row = rows[1]?.row
      assert.deepInclude(JSON.parse(row?.envelope ?? "{}"), {
        message_id: row?.message_id,
        producer_agent: "operator:ana",
        correlation_id: "order-7",
        payload: "hello"
      })
    })
  )

  it.effect("is listed when its host stops, and when its agent goes on at another host", () =>
    Effect.gen(function* () {
      const never = Deferred.makeUnsafe<void>()
      const [here, there] = [waiting(never, "here"), waiting(never, "there")]
      const world = yield* World.make
      const first = yield* world.host({ workflows: [here], slots: 1, stop: "1 second" })
      const second = yield* world.host({ workflows: [there], slots: 1, stop: "1 second" })
      const job = yield* first.fleet.submit(here, 1)
      const [other] = yield* first.fleet.submitAll([{ workflowType: "there", payload: 1 }])
      yield* settled
      yield* TestClock.adjust("1 second")
      const far = yield* first.fleet.tell(other?.jobId ?? "", hello)
      assert.deepInclude(far, { _tag: "Dead", reason: "not_on_this_host" })
      assert.propertyVal(yield* second.fleet.tell(other?.jobId ?? "", hello), "_tag", "Accepted")
      assert.propertyVal(yield* first.fleet.tell(job.jobId, hello), "_tag", "Accepted")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* deadOf(world.store), [["text", "not_on_this_host"]])
      const stopping = yield* Effect.forkChild(first.stop, { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(yield* deadOf(world.store), [
        ["text", "not_on_this_host"],
        ["text", "host_stopped"]
      ])
    })
  )

  it.effect("is given up by the host that kept it when another host takes the job", () =>
    Effect.gen(function* () {
      const [busy, free] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
      const [keeps, works] = [waiting(busy, "keeps"), waiting(free)]
      const world = yield* World.make
      const first = yield* world.host({ workflows: [keeps, works], slots: 1, stop: "1 second" })
      yield* first.fleet.submit(keeps, 1)
      yield* settled
      const job = yield* first.fleet.submit(works, 1)
      assert.propertyVal(yield* first.fleet.tell(job.jobId, hello), "_tag", "Accepted")
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* deadOf(world.store), [], "it may begin here still")
      const second = yield* world.host({ workflows: [works], slots: 1, stop: "1 second" })
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(yield* deadOf(world.store), [["text", "not_on_this_host"]])
      assert.propertyVal(yield* second.fleet.tell(job.jobId, hello), "_tag", "Accepted")
      yield* Deferred.succeed(busy, undefined)
      yield* Deferred.succeed(free, undefined)
      yield* job.result
    })
  )

  it.effect("is not sent by an agent that is being stopped: nothing comes of its last words", () =>
    Effect.gen(function* () {
      const open = Deferred.makeUnsafe<void>()
      const reader = Workflow.make("reads", {
        payload: Schema.Int,
        result: Schema.String,
        messages: { text: { payload: Schema.String } },
        run: (_, agent) => Effect.map(agent.inbox.take, ({ payload }) => payload)
      })
      const talker = Workflow.make("talks", {
        payload: Schema.String,
        result: Schema.Null,
        run: (to, agent) =>
          Effect.as(Deferred.await(open), null).pipe(
            Effect.onInterrupt(() =>
              Effect.ignore(agent.tell(to, { messageType: "text", payload: "last words" }))
            )
          )
      })
      const { fleet, store } = yield* World.withHost({ workflows: [reader, talker], slots: 2 })
      const read = yield* fleet.submit(reader, 1)
      const talk = yield* fleet.submit(talker, read.jobId)
      yield* settled
      const cancelling = yield* Effect.forkChild(fleet.cancel(talk.jobId), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(cancelling)
      yield* fleet.tell(read.jobId, { payload: "first" })
      assert.strictEqual(yield* read.result, "first")
      assert.deepStrictEqual(yield* deadOf(store), [])
    })
  )

  it.effect("links the reader's span to the sender's", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const work = Workflow.make("reads", {
        payload: Schema.Int,
        result: Schema.String,
        messages: { text: { payload: Schema.String } },
        run: (_, agent) => Effect.map(agent.inbox.take, ({ payload }) => payload)
      })
      yield* Effect.gen(function* () {
        const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
        const job = yield* fleet.submit(work, 1)
        yield* settled
        const traceContext = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        yield* fleet.tell(job.jobId, { ...hello, traceContext })
        yield* job.result
      }).pipe(Effect.provideService(Tracer.Tracer, tracer))
      const links = spans.find(({ name }) => name === "Agent.work")?.links ?? []
      assert.deepStrictEqual(
        links.map(({ span }) => [span.traceId, span.spanId]),
        [["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]]
      )
    })
  )
})

describe("the messages that wait to be written down", () => {
  const dead = (n: number) => ({
    envelope: {
      messageId: `${n}`,
      correlationId: "c",
      causationId: null,
      sentAt: 0,
      producerAgent: "agent:a",
      consumerAgent: "agent:b",
      messageType: "note",
      schemaVersion: 1,
      payload: null,
      traceContext: null
    },
    reason: "ended" as const,
    at: 0
  })

  it("are bounded whatever comes, written at their pace, and all are counted", () => {
    let rung = 0
    const burials = new DeadMessages(() => rung++)
    const all = limits.deadMessages + 500
    for (let n = 0; n < all; n++) burials.add(dead(n))
    assert.strictEqual(rung, 1)
    const written: Array<string> = []
    let count = 0
    for (let now = 0; ; now += 250) {
      const burial = burials.take(now)
      if (burial === null) break
      assert.isAtMost(burial.messages.length, 50)
      burials.written(burial, now)
      assert.isNull(burials.take(now + 249))
      written.push(...burial.messages.map(({ envelope }) => envelope.messageId))
      count += burial.count
    }
    assert.strictEqual(count, all)
    assert.deepStrictEqual(
      [written.length, written[0], written.at(-1)],
      [limits.deadMessages, "500", `${all - 1}`]
    )
    assert.isNull(burials.rest())
  })

  it("are asked for again when their commit has failed, and none is written twice when more have come", () => {
    const burials = new DeadMessages(() => undefined)
    burials.add(dead(1))
    const first = burials.take(0)
    burials.add(dead(2))
    assert.deepStrictEqual(
      burials.take(0)?.messages.map(({ envelope }) => envelope.messageId),
      ["1", "2"]
    )
    assert.isNotNull(first)
    burials.written(first, 0)
    assert.deepStrictEqual(
      burials.rest()?.messages.map(({ envelope }) => envelope.messageId),
      ["2"]
    )
    assert.strictEqual(burials.rest()?.count, 1)
  })
})
