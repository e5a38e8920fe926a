// Telling a living agent something, as typed: through the host that it lives on.
import { assert, describe, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { Fleet, type FleetService, ProcessRunner } from "@muster/fleet"
import { Control } from "@muster/fleet/control"
import { SqliteStore } from "@muster/store-sqlite"
import { Context, Effect, Layer, Schema } from "effect"
import { document, storeFolder } from "../CommandLine.ts"
import { live } from "./ServedStore.ts"

/** Reads until it is told to stop; its result is what it has heard. */
const hears = Workflow.make("hears", {
  payload: Schema.Null,
  result: Schema.Array(Schema.String),
  messages: { text: { payload: Schema.String }, count: { payload: Schema.Int } },
  run: (_, agent) =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      for (;;) {
        const { payload, producerAgent } = yield* agent.inbox.take
        if (payload === "stop") return heard
        heard.push(`${producerAgent.split(":")[0]}: ${payload}`)
      }
    })
})

/** A program that asks one question; its result is the line that answers it. */
const asks = Effect.map(
  ProcessRunner.make({
    command: [
      "sh",
      "-c",
      `read -r payload; echo '{"type":"needs_input","question":"Which colour?"}'; read -r answer; echo "$answer"`
    ],
    stdin: "lines"
  }),
  (runner) => Workflow.make("asks", { payload: Schema.Unknown, result: Schema.Unknown, runner })
)

const scene = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  const store = SqliteStore.layer({ filename: file })
  const asking = yield* asks
  const context = yield* Layer.build(
    Layer.provideMerge(Fleet.layer({ workflows: [hears, asking], slots: 1, stop: "1 second" }), store)
  )
  yield* Effect.provide(Control.serve({ store: file }), context)
  const fleet: FleetService = Context.get(context, Fleet)
  return { asking, fleet, type }
})

describe("muster tell", () => {
  it.live(
    "reaches the agent once, as text or data, and what nobody takes is refused, listed and counted",
    () =>
      Effect.gen(function* () {
        const { fleet, type } = yield* scene
        const job = yield* fleet.submit(hears, null)
        const told = yield* type(["tell", job.jobId, "leave", "the", "tests", "--json"])
        assert.strictEqual(told.exitCode, 0, told.err)
        assert.deepInclude(document("muster tell", told.out[0]), {
          consumer_agent: `agent:${job.jobId}`,
          message_type: "text",
          answer: "accepted",
          duplicate: false
        })
        const twice = ["tell", "1", "--type", "count", "--data", "7", "--request-id", "r"]
        assert.strictEqual((yield* type(twice)).exitCode, 0)
        assert.match((yield* type(twice)).out[0] ?? "", /was told before/)

        const wrong = yield* type(["tell", "1", "--type", "count", "seven"])
        assert.include(wrong.err, "CONTRACT_PAYLOAD_TYPE_MISMATCH")
        assert.include(wrong.err, '["payload"]')
        for (const args of [
          ["tell", "1"],
          ["tell", "1", "x", "--data", "7"],
          ["tell", "1", "--data", "x"]
        ])
          assert.strictEqual((yield* type(args)).exitCode, 2, args.join(" "))
        assert.include((yield* type(["tell", "99", "x"])).err, "ORCH_JOB_NOT_FOUND")

        assert.strictEqual((yield* type(["tell", `agent:${job.jobId}`, "stop"])).exitCode, 0)
        assert.deepStrictEqual(yield* job.result, ["operator: leave the tests", "operator: 7"])
        const late = yield* type(["tell", job.jobId, "too late"])
        assert.strictEqual(late.exitCode, 6)
        assert.include(late.err, "ORCH_MESSAGE_UNDELIVERABLE")
        assert.include(late.err, "its job is over")

        // Written along with one of the next turns.
        const listed = yield* type(["dlq", "messages", "--json"]).pipe(
          Effect.repeat({ until: ({ out }) => out.length === 2 })
        )
        const messages = listed.out.map((line) => document("muster dlq messages", line))
        assert.deepStrictEqual(
          messages.map(({ message_type, reason }) => [message_type, reason]),
          [
            ["count", "payload_mismatch"],
            ["text", "ended"]
          ]
        )
        assert.deepNestedInclude(messages[1], { "envelope.payload": "too late" })
        assert.match((yield* type(["dlq", "messages"])).out.join("\n"), /ended: its job is over/)
        const status = document("muster status", (yield* type(["status", "--json"])).out[0])
        assert.propertyVal(status, "undeliverable_messages", 2)
        assert.match((yield* type(["status"])).out.join("\n"), /messages +2 undeliverable/)
      }).pipe(Effect.provide(live))
  )

  it.live("answers the question that explain names, as long as it is asked", () =>
    Effect.gen(function* () {
      const { asking, fleet, type } = yield* scene
      const job = yield* fleet.submit(asking, null)
      const explained = type(["explain", "1", "--json"]).pipe(
        Effect.map(({ out }) => document("muster explain", out[0]))
      )
      const asked = yield* explained.pipe(
        Effect.repeat({ until: (found) => JSON.stringify(found).includes("Which colour?") })
      )
      assert.deepInclude(asked["waits_for"], "Its agent waits for an answer: Which colour?")
      assert.deepInclude(asked["can"], { command: "muster tell 1 TEXT", effect: "answers it" })
      yield* type(["tell", "1", "blue"])
      assert.include(JSON.stringify(yield* job.result), "blue")
      assert.notInclude(JSON.stringify(yield* explained), "muster tell")
    }).pipe(Effect.provide(live))
  )

  it.live("says that nobody can be told where no host answers", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      yield* type(["submit", "-w", "hears", "null"])
      const said = yield* type(["tell", "1", "hello"])
      assert.strictEqual(said.exitCode, 6)
      assert.include(said.err, "no running host answers")
      assert.deepStrictEqual((yield* type(["dlq", "messages"])).out, ["No undeliverable messages."])
    }).pipe(Effect.provide(live))
  )
})
