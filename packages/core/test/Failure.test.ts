import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Duration, Effect, Schema } from "effect"
import { limits } from "../src/domain/Defaults.ts"
import { GateRejected } from "../src/domain/errors/AttemptErrors.ts"
import { JobFailed } from "../src/domain/errors/JobFailed.ts"
import { crashCode, Failure, fromCause, fromError, fromMismatch } from "../src/domain/Failure.ts"

class RateLimited extends Data.TaggedError("EXT_RATE_LIMITED")<{
  readonly retryAfter?: unknown
  readonly retryAfterMillis?: unknown
  readonly cause?: unknown
  readonly account?: string
}> {
  override get message() {
    return "too many requests"
  }
}

const size = (text: string) => new TextEncoder().encode(text).length
const valid = Schema.is(Failure)

const bounded = (failure: Failure) =>
  valid(failure) &&
  size(failure.message) <= limits.reasonBytes &&
  size(failure.detail ?? "") <= limits.detailBytes &&
  size(failure.cause ?? "") <= limits.detailBytes &&
  Schema.is(Failure)(JSON.parse(JSON.stringify(failure)))

describe("fromError", () => {
  it("keeps code, message, fields and hint of a tagged error whose tag is a code", () => {
    assert.deepStrictEqual(fromError(new RateLimited({ retryAfterMillis: 1_500, account: "a1" })), {
      code: "EXT_RATE_LIMITED",
      message: "too many requests",
      detail: '{"account":"a1"}',
      retryAfterMillis: 1_500,
      cause: null
    })
    const rejected = fromError(new GateRejected({ jobId: "s-1", gate: "tests", reasons: ["2 failed"] }))
    assert.strictEqual(rejected.code, "ORCH_GATE_REJECTED")
    assert.include(rejected.detail, '"reasons":["2 failed"]')
    assert.deepInclude(fromError({ _tag: "DQ_PLAIN_OBJECT" }), {
      code: "DQ_PLAIN_OBJECT",
      message: "DQ_PLAIN_OBJECT"
    })
  })

  it("reads a hint in milliseconds, as a duration, or in seconds like HTTP's Retry-After", () => {
    const hint = (retryAfter: unknown) => fromError(new RateLimited({ retryAfter })).retryAfterMillis
    assert.strictEqual(hint(Duration.seconds(2)), 2_000)
    assert.strictEqual(hint("3 seconds"), 3_000)
    assert.strictEqual(hint(30), 30_000)
    assert.strictEqual(hint(-1), 0)
    assert.strictEqual(hint(Duration.infinity), limits.retryAfterMillis)
    for (const none of [undefined, null, NaN, "soon", {}, []]) assert.isNull(hint(none))
  })

  it("makes a crash of anything that is no contract, and keeps its causes", () => {
    const error = new Error("outer", { cause: new TypeError("inner", { cause: "root" }) })
    assert.deepStrictEqual(fromError(error), {
      code: crashCode,
      message: "Error: outer",
      detail: null,
      retryAfterMillis: null,
      cause: "Error: outer\nTypeError: inner\nroot"
    })
    assert.deepInclude(fromError({ _tag: "dq_lower", message: "m" }), {
      code: crashCode,
      message: "dq_lower: m"
    })
    assert.deepInclude(fromError("just text"), { code: crashCode, message: "just text" })
    assert.deepInclude(fromError(undefined), { code: crashCode, message: "undefined" })
    assert.deepInclude(fromError({ reason: 7 }), { message: '{"reason":7}', detail: '{"reason":7}' })
  })

  it("passes the code of a failed job on, and takes one without a code for a crash", () => {
    const failed = { jobId: "s-1", summary: "no", deadLetterId: null }
    assert.strictEqual(fromError(new JobFailed({ ...failed, code: "DQ_EMPTY" })).code, "DQ_EMPTY")
    assert.strictEqual(fromError(new JobFailed({ ...failed, code: null })).code, crashCode)
  })

  it("follows causes to a depth of eight, and cycles once", () => {
    let deep: unknown = "bottom"
    for (let level = 0; level < 20; level++) deep = new Error(`level ${level}`, { cause: deep })
    const lines = fromError(new RateLimited({ cause: deep })).cause?.split("\n") ?? []
    assert.strictEqual(lines.length, 9)
    assert.strictEqual(lines[0], "Error: level 19")
    assert.strictEqual(lines[8], "…")
    const cycle = new Error("round")
    cycle.cause = { message: "and round", cause: cycle }
    assert.strictEqual(fromError(cycle).cause, "Error: round\nand round\n…")
  })

  it.prop(
    "gives bounded, valid data for any JSON value as an error, and for any text as its message",
    [Schema.Json, Schema.String],
    ([value, message]) =>
      bounded(fromError(value)) && bounded(fromError(new Error(message.repeat(2_000), { cause: value })))
  )

  it("never throws: hostile getters, proxies, cycles and huge values", () => {
    const angry = () => {
      throw new Error("no")
    }
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const trapped = new Proxy({}, { get: angry, getPrototypeOf: angry, ownKeys: angry, has: angry })
    const cyclic: Record<string, unknown> = { _tag: "EXT_CYCLE", message: "m" }
    cyclic["self"] = cyclic
    const getters = Object.defineProperties(
      {},
      { _tag: { get: angry }, message: { get: angry }, a: { get: angry, enumerable: true } }
    )
    const endless: unknown = new Proxy(
      {},
      { get: (_, key) => (key === "cause" ? endless : key === "message" ? "x" : undefined) }
    )
    const texts = {
      _tag: "EXT_HUGE",
      message: "€".repeat(5_000_000),
      body: "x".repeat(5_000_000),
      cause: "y".repeat(5_000_000)
    }
    const notText = { _tag: "EXT_A", message: 7, toString: angry, [Symbol.toPrimitive]: angry }
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]))
    for (const value of [
      proxy,
      trapped,
      cyclic,
      getters,
      endless,
      texts,
      notText,
      many,
      Symbol("s"),
      1n,
      () => 1,
      Object.create(null)
    ]) {
      assert.isTrue(bounded(fromError(value)))
    }
    assert.deepInclude(fromError(texts), { code: "EXT_HUGE" })
    assert.include(fromError(cyclic).detail, "left_out")
  })
})

describe("fromCause", () => {
  it.effect("is null for interruptions only", () =>
    Effect.sync(() => {
      assert.isNull(fromCause(Cause.interrupt(1)))
      assert.isNull(fromCause(Cause.combine(Cause.interrupt(1), Cause.interrupt(2))))
      assert.isNull(fromCause(Cause.empty))
    })
  )

  it("takes a failure before a defect, and either before an interruption", () => {
    const failed = Cause.fail(new RateLimited({}))
    assert.strictEqual(fromCause(Cause.combine(Cause.interrupt(1), failed))?.code, "EXT_RATE_LIMITED")
    assert.strictEqual(fromCause(Cause.combine(Cause.die("bug"), failed))?.code, "EXT_RATE_LIMITED")
    assert.deepInclude(fromCause(Cause.combine(Cause.interrupt(1), Cause.die("bug"))), {
      code: crashCode,
      cause: "bug"
    })
  })

  it("takes a defect for a crash even when it is a tagged error", () => {
    const crash = fromCause(Cause.die(new RateLimited({ cause: "socket", retryAfterMillis: 1 })))
    assert.deepInclude(crash, { code: crashCode, retryAfterMillis: null })
    assert.strictEqual(crash?.cause, "EXT_RATE_LIMITED: too many requests\nsocket")
  })
})

describe("fromMismatch", () => {
  it("names the place that doesn't fit", () => {
    const failure = fromMismatch("review", { path: '["a"][0]', detail: "Expected a string" })
    assert.strictEqual(failure.code, "CONTRACT_PAYLOAD_TYPE_MISMATCH")
    assert.include(
      failure.message,
      'The payload of review doesn\'t fit its schema at ["a"][0]: Expected a string'
    )
    assert.include(
      fromMismatch("review", { path: "", detail: "no" }, "result").message,
      "The result of review"
    )
  })
})
