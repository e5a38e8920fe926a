import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { limits } from "../src/domain/Defaults.ts"
import { compile } from "../src/domain/ErrorCatalogue.ts"
import { attemptsAllowed, type FailedAttempt, react } from "../src/domain/Reaction.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Draw = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 0.999999 }))
const AnyCode = Schema.Literals([
  "EXT_A",
  "ORCH_RETRYABLE_A",
  "ORCH_GATE_REJECTED",
  "DQ_A",
  "LEGAL_A",
  "ORCH_LANDING_UNKNOWN",
  "?"
])
const Attempt = Schema.Struct({
  code: AnyCode,
  burned: int(1, 20),
  maxRetries: int(0, 20),
  retryAfterMillis: Schema.NullOr(int(0, 1e13)),
  now: int(0, 4e12),
  draw: Draw
})

const first: FailedAttempt = {
  code: "EXT_A",
  burned: 1,
  maxRetries: 4,
  retryAfterMillis: null,
  now: 1_000,
  draw: 0.5
}

describe("react", () => {
  it.effect.prop(
    "is the same for the same inputs, in whole milliseconds, never before now",
    [Attempt],
    ([attempt]) =>
      Effect.map(compile(), (catalogue) => {
        const reaction = react(catalogue, attempt)
        assert.deepStrictEqual(react(catalogue, attempt), reaction)
        return (
          reaction._tag === "Fail" ||
          (Number.isSafeInteger(reaction.dueAt) &&
            reaction.dueAt >= attempt.now &&
            reaction.delayMillis === reaction.dueAt - attempt.now)
        )
      })
  )

  it.effect.prop("never retries a permanent code, hint or not, and quarantines it", [Attempt], ([attempt]) =>
    Effect.map(compile(), (catalogue) => {
      const { retryable, replayEligible } = catalogue.lookup(attempt.code).policy
      const reaction = react(catalogue, attempt)
      return retryable
        ? reaction._tag !== "Fail" || (reaction.exhausted && reaction.quarantine)
        : reaction._tag === "Fail" &&
            !reaction.exhausted &&
            reaction.quarantine &&
            reaction.replayEligible === replayEligible
    })
  )

  it.effect.prop("retries exactly while the smaller of the two budgets lasts (R3)", [Attempt], ([given]) =>
    Effect.map(compile(), (catalogue) => {
      const attempt = { ...given, retryAfterMillis: null }
      const { maxAttempts, maxBackoffSeconds, retryable } = catalogue.lookup(attempt.code).policy
      const reaction = react(catalogue, attempt)
      const left = attempt.burned < attemptsAllowed(attempt.maxRetries, maxAttempts)
      return (
        (reaction._tag === "Retry") === (retryable && left) &&
        (reaction._tag !== "Retry" || reaction.delayMillis <= maxBackoffSeconds * 1_000)
      )
    })
  )

  it.effect.prop(
    "holds a retryable code until its hint and not before, and burns nothing (R2)",
    [Attempt],
    ([attempt]) =>
      Effect.map(compile(), (catalogue) => {
        const { policy, plan } = catalogue.lookup(attempt.code)
        const reaction = react(catalogue, attempt)
        if (!policy.retryable || attempt.retryAfterMillis === null) return reaction._tag !== "Hold"
        const hint = Math.min(attempt.retryAfterMillis, limits.retryAfterMillis)
        return (
          reaction._tag === "Hold" &&
          !reaction.burned &&
          reaction.delayMillis >= Math.max(hint, plan[0]) &&
          reaction.delayMillis <= Math.max(hint, plan[0]) + policy.maxBackoffSeconds * 1_000 + 1
        )
      })
  )

  it.effect("walks a job through its attempts to the letter", () =>
    Effect.gen(function* () {
      const catalogue = yield* compile()
      const waits = [1, 2, 3, 4].map((burned) => react(catalogue, { ...first, burned }))
      assert.deepStrictEqual(
        waits.map((reaction) => (reaction._tag === "Retry" ? reaction.dueAt : reaction._tag)),
        [2_000, 3_000, 5_000, 9_000]
      )
      assert.deepStrictEqual(react(catalogue, { ...first, burned: 5 }), {
        _tag: "Fail",
        burned: true,
        exhausted: true,
        quarantine: true,
        replayEligible: true
      })
      assert.strictEqual(react(catalogue, { ...first, maxRetries: 0 })._tag, "Fail")
      assert.strictEqual(react(catalogue, { ...first, maxRetries: 99, burned: 5 })._tag, "Fail")
    })
  )

  it.effect("starts the backoff anew where a healthy period has reset it, without giving attempts back", () =>
    Effect.gen(function* () {
      const catalogue = yield* compile()
      assert.deepInclude(react(catalogue, { ...first, burned: 4, attemptIndex: 0 }), { delayMillis: 1_000 })
      assert.strictEqual(react(catalogue, { ...first, burned: 5, attemptIndex: 0 })._tag, "Fail")
    })
  )

  it.effect("spreads what was held, so that not everybody comes back at once", () =>
    Effect.gen(function* () {
      const catalogue = yield* compile()
      const due = (draw: number) => react(catalogue, { ...first, retryAfterMillis: 10_000, draw })
      assert.deepInclude(due(0), { dueAt: 11_000 })
      assert.deepInclude(due(0.5), { dueAt: 12_000 })
    })
  )
})
