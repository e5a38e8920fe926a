// What agents hand back is hostile: huge, cyclic, not JSON, nothing at all. It is bounded and recorded, never thrown by the recorder.
import { assert, describe, it } from "@effect/vitest"
import { limits, Workflow } from "@muster/core"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf } from "./Chains.ts"
import * as World from "./World.ts"

const ending = {
  succeed: (value: unknown) => Effect.succeed(value),
  fail: (value: unknown) => Effect.fail(value),
  die: (value: unknown) => Effect.die(value)
}

/** Runs one job whose function answers this, with no retry; answers its row, its result and its failure. */
const answered = Effect.fnUntraced(function* (
  result: Schema.Codec<unknown, unknown>,
  answer: () => unknown,
  how: keyof typeof ending = "succeed"
) {
  const work = Workflow.make("work", {
    payload: Schema.Int,
    result,
    maxRetries: 0,
    run: () => ending[how](answer())
  })
  const { fleet, store } = yield* World.withHost({ workflows: [work] })
  const [submitted] = yield* fleet.submitAll([{ workflowType: "work", payload: 1 }])
  yield* TestClock.adjust("1 second")
  const stored = yield* fleet.await(submitted?.jobId ?? "")
  const events = yield* eventsOf(store, stored.job)
  const failed = events.find(({ event }) => event === "fail")
  // The whole of what is written about it stays small.
  for (const { detail } of events) assert.isAtMost(detail?.length ?? 0, 8 * limits.detailBytes)
  return { ...stored, failed: failed?.detail ?? "" }
}, Effect.scoped)

const cyclic = () => {
  const circle: Record<string, unknown> = { name: "circle" }
  circle["self"] = circle
  return circle
}

const trap = () =>
  Object.defineProperty({}, "value", {
    enumerable: true,
    get: () => {
      throw new Error("a getter that throws")
    }
  })

const proxy = () =>
  new Proxy(
    {},
    {
      get: () => {
        throw new Error("a proxy that throws")
      },
      ownKeys: () => {
        throw new Error("a proxy that throws")
      }
    }
  )

/** A value that is small in memory and endless as text. */
const bomb = () => {
  let grown: unknown = "x".repeat(100)
  for (let level = 0; level < 30; level++) grown = [grown, grown, grown]
  return grown
}

describe("results", () => {
  for (const [what, answer] of [
    ["cyclic", cyclic],
    ["a BigInt", () => 12n],
    ["a BigInt deep inside", () => ({ a: [{ b: 12n }] })],
    ["a symbol", () => Symbol("s")],
    ["a function", () => () => 1]
  ] as const) {
    it.effect(`a result that is ${what} fails the attempt as a contract that is broken, permanently`, () =>
      Effect.gen(function* () {
        const { job, result } = yield* answered(Schema.Unknown, answer)
        assert.deepStrictEqual(
          [job.state, job.lastErrorCode, result],
          ["DEAD_LETTERED", "CONTRACT_PAYLOAD_TYPE_MISMATCH", null]
        )
      })
    )
  }

  for (const [what, answer] of [
    ["a text beyond the limit", () => "x".repeat(limits.resultBytes)],
    ["endless", bomb]
  ] as const) {
    it.effect(`a result that is ${what} is CONTRACT_RESULT_TOO_LARGE`, () =>
      Effect.gen(function* () {
        const { job, result } = yield* answered(Schema.Unknown, answer)
        assert.deepStrictEqual(
          [job.state, job.lastErrorCode, result],
          ["DEAD_LETTERED", "CONTRACT_RESULT_TOO_LARGE", null]
        )
      })
    )
  }

  it.effect("a result just within the limit is stored whole (R36)", () =>
    Effect.gen(function* () {
      const text = "x".repeat(limits.resultBytes - 2)
      const { job, result } = yield* answered(Schema.String, () => text)
      assert.strictEqual(job.state, "COMPLETED")
      assert.strictEqual(result?.length, limits.resultBytes)
    })
  )

  it.effect("undefined where a result is asked for is ORCH_EMPTY_RESULT", () =>
    Effect.gen(function* () {
      const { job } = yield* answered(Schema.Int, () => undefined)
      assert.deepStrictEqual([job.state, job.lastErrorCode], ["DEAD_LETTERED", "ORCH_EMPTY_RESULT"])
    })
  )

  it.effect("undefined where nothing is asked for is a result", () =>
    Effect.gen(function* () {
      const work = Workflow.make("work", { payload: Schema.Int, result: Schema.Void, run: () => Effect.void })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      assert.isUndefined(yield* job.result)
    })
  )

  it.effect("a result of another type is named with its path", () =>
    Effect.gen(function* () {
      const shape = Schema.Struct({ findings: Schema.Array(Schema.String) })
      const { failed, job } = yield* answered(shape, () => ({ findings: ["a", 5] }))
      assert.strictEqual(job.lastErrorCode, "CONTRACT_PAYLOAD_TYPE_MISMATCH")
      assert.include(failed, "findings")
      assert.include(failed, "[1]")
    })
  )

  for (const [what, answer] of [
    ["whose getter throws", trap],
    ["that is a proxy that throws", proxy]
  ] as const) {
    for (const schema of [Schema.Unknown, Schema.Struct({ value: Schema.String })]) {
      it.effect(`a result ${what} ends the attempt, not the fleet (${schema.ast._tag})`, () =>
        Effect.gen(function* () {
          const { job, result } = yield* answered(schema, answer)
          assert.deepStrictEqual([job.state, result], ["DEAD_LETTERED", null])
        })
      )
    }
  }

  for (const how of ["fail", "die"] as const) {
    for (const [what, answer] of [
      ["cyclic", cyclic],
      ["with a getter that throws", trap],
      ["a proxy that throws", proxy],
      ["endless", bomb],
      ["huge", () => ({ _tag: "DQ_HUGE", message: "m".repeat(5_000_000), rows: "x".repeat(5_000_000) })],
      ["its own cause", () => Object.assign(new Error("e".repeat(5_000_000)), { cause: cyclic() })]
    ] as const) {
      it.effect(`an error that is ${what} is bounded and recorded when an agent ${how}s with it`, () =>
        Effect.gen(function* () {
          const { job } = yield* answered(Schema.Unknown, answer, how)
          assert.strictEqual(job.state, "DEAD_LETTERED")
          assert.isNotNull(job.lastErrorCode)
        })
      )
    }
  }

  it.effect(
    "text that is no text, lone surrogates and zero bytes, comes back as it went in or replaced, never as an error",
    () =>
      Effect.gen(function* () {
        const { job } = yield* answered(Schema.String, () => `\ud800 \u0000 ${"\u{1F600}".repeat(3)}`)
        assert.strictEqual(job.state, "COMPLETED")
      })
  )
})
