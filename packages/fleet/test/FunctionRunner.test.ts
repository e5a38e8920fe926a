// The function runner keeps the contract that every runner keeps; its agents are functions.
import { assert, describe, it, vi } from "@effect/vitest"
import { type AgentContext, type AgentEvent, limits } from "@muster/core"
import {
  assignment,
  recordMail,
  recordMarkers,
  runnerSuite,
  type RunnerUnderTest
} from "@muster/core/testing"
import { Effect, Exit, type Scope } from "effect"
import * as FunctionRunner from "../src/adapters/FunctionRunner.ts"

type Payload =
  | { readonly does: "answer" | "fail" | "throw" | "speak" | "mark" }
  | { readonly does: "live"; readonly alive: { now: boolean } }

const agent = (payload: Payload, context: AgentContext): Effect.Effect<unknown, unknown, Scope.Scope> => {
  switch (payload.does) {
    case "answer":
      return Effect.succeed({ n: [1, null] })
    case "fail":
      return Effect.fail({ _tag: "DQ_NO_ROWS" })
    case "throw":
      throw new Error("a bare exception")
    case "mark":
      return context.once("pay", (key) => Effect.succeed({ paidAs: key }))
    case "speak":
      return context.progress("half of it", 0.5)
    default:
      return Effect.acquireRelease(
        Effect.sync(() => (payload.alive.now = true)),
        () => Effect.sync(() => (payload.alive.now = false))
      ).pipe(Effect.andThen(context.log("up")), Effect.andThen(Effect.never))
  }
}

const asked = (payload: Payload) => assignment({ payload })

const underTest = Effect.sync(() => {
  const alive = { now: false }
  return {
    runner: FunctionRunner.make(agent),
    succeeds: { assignment: asked({ does: "answer" }), result: { n: [1, null] } },
    fails: { assignment: asked({ does: "fail" }), code: "DQ_NO_ROWS" },
    crashes: asked({ does: "throw" }),
    speaks: {
      assignment: asked({ does: "speak" }),
      event: { _tag: "Progress", message: "half of it", fraction: 0.5 }
    },
    marks: {
      assignment: asked({ does: "mark" }),
      name: "pay",
      result: { paidAs: "key_1:pay" },
      waits: true
    },
    neverEnds: { assignment: asked({ does: "live", alive }), isWorking: Effect.sync(() => alive.now) }
  } satisfies RunnerUnderTest
})

runnerSuite("FunctionRunner", underTest)

describe("FunctionRunner", () => {
  it.effect("lets a function say everything that an agent may say", () =>
    Effect.gen(function* () {
      const events: Array<AgentEvent> = []
      const talkative = FunctionRunner.make((_: never, context) =>
        Effect.all([
          context.progress("started"),
          context.log("a line"),
          context.extend(60_000),
          context.usage({ inputTokens: 3, cost: 0.5 })
        ])
      )
      yield* Effect.scoped(
        talkative.run(
          assignment(),
          (event) => void events.push(event),
          recordMarkers().markers,
          recordMail().mail
        )
      )
      assert.deepStrictEqual(events, [
        { _tag: "Progress", message: "started", fraction: null },
        { _tag: "Line", source: "log", text: "a line", cut: false },
        { _tag: "Extend", millis: 60_000 },
        { _tag: "Usage", inputTokens: 3, outputTokens: null, cost: 0.5 }
      ])
    })
  )

  it.effect(
    "keeps the secrets of its process's environment out of what its agents say, and bounds it (R36)",
    () =>
      Effect.gen(function* () {
        vi.stubEnv("SOME_API_KEY", "hush-hush-hush")
        const events: Array<AgentEvent> = []
        const indiscreet = FunctionRunner.make((_: never, context) =>
          Effect.all([
            context.progress("I use hush-hush-hush"),
            context.log(`hush-hush-hush ${"x".repeat(limits.lineBytes)}`)
          ])
        )
        vi.unstubAllEnvs()
        yield* Effect.scoped(
          indiscreet.run(
            assignment(),
            (event) => void events.push(event),
            recordMarkers().markers,
            recordMail().mail
          )
        )
        const said = events.map((event) =>
          event._tag === "Line" ? event.text : event._tag === "Progress" ? event.message : ""
        )
        assert.strictEqual(said[0], "I use [redacted]")
        assert.match(said[1] ?? "", /^\[redacted\] x+…\[cut\]$/)
        assert.isAtMost(Buffer.byteLength(said[1] ?? ""), limits.lineBytes)
      })
  )

  it.effect("takes a function that gives no effect for one that has crashed", () =>
    Effect.gen(function* () {
      // what an author in plain JavaScript may write
      const plain = FunctionRunner.make(() => 5 as never)
      const exit = yield* Effect.exit(
        Effect.scoped(plain.run(assignment(), () => undefined, recordMarkers().markers, recordMail().mail))
      )
      assert.isTrue(Exit.hasDies(exit))
    })
  )

  it.effect("gives the function its assignment", () =>
    Effect.gen(function* () {
      const curious = FunctionRunner.make((_: never, { assignment }) => Effect.succeed(assignment.attempt))
      assert.strictEqual(
        yield* Effect.scoped(
          curious.run(assignment({ attempt: 3 }), () => undefined, recordMarkers().markers, recordMail().mail)
        ),
        3
      )
    })
  )
})
