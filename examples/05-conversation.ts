// Two agents that talk: an author asks a reviewer about each line, and an operator ends the review. What nobody reads is listed.
// Run it: node --conditions=@muster/source examples/05-conversation.ts
import { Store, undeliverable, Workflow } from "@muster/core"
import { Fleet, MemoryStore } from "@muster/fleet"
import { Console, Effect, Layer, Schedule, Schema } from "effect"

// The reviewer says what it understands: a message that doesn't fit is refused before it gets it.
const reviewer = Workflow.make("reviewer", {
  payload: Schema.Null,
  result: Schema.Int,
  messages: {
    question: { payload: Schema.Struct({ line: Schema.Int }) },
    text: { payload: Schema.String }
  },
  run: Effect.fn(function* (_, agent) {
    for (let answered = 0; ; answered++) {
      const message = yield* agent.inbox.take
      if (message.messageType === "text") return answered
      yield* agent.reply(message, { payload: message.payload.line % 2 === 0 ? "fine" : "too long" })
    }
  })
})

const author = Workflow.make("author", {
  payload: Schema.Struct({ reviewer: Schema.String }),
  result: Schema.Array(Schema.String),
  run: Effect.fn(function* ({ reviewer: to }, agent) {
    const ask = (line: number) =>
      agent.ask(
        to,
        { messageType: "question", payload: { line } },
        { deadline: "10 seconds", reply: Schema.String }
      )
    const answers = yield* Effect.forEach([1, 2, 3], ask)
    return answers.map(({ payload }, index) => `line ${index + 1} is ${payload}`)
  })
})

const program = Effect.gen(function* () {
  const fleet = yield* Fleet
  const review = yield* fleet.submit(reviewer, null)
  const writing = yield* fleet.submit(author, { reviewer: review.jobId })
  yield* Console.log((yield* writing.result).join(", "))
  yield* fleet.tell(review.jobId, { payload: "thank you", from: "operator:ana" })
  yield* Console.log("answered:", yield* review.result)

  const late = yield* fleet.tell(review.jobId, { payload: "one more thing", from: "operator:ana" })
  yield* Console.log("too late:", late._tag === "Dead" ? undeliverable[late.reason] : late._tag)
  const store = yield* Store
  const listed = yield* store
    .records({ kind: "messages", job: null, after: 0, limit: 10 })
    .pipe(Effect.repeat({ until: (found) => found.length > 0, schedule: Schedule.spaced("20 millis") }))
  yield* Console.log("listed:", listed.map(({ row }) => `${row.message_type} ${row.reason}`).join())
})

const fleet = Fleet.layer({ slots: 2, workflows: [reviewer, author] })
const store = Store.layerFromDriver(MemoryStore.driver)
await Effect.runPromise(Effect.provide(program, Layer.provideMerge(fleet, store)))
