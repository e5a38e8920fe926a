import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Pull, Schedule, Schema } from "effect"
import { draw } from "../src/domain/Draw.ts"
import { backoffPlan, capMillis, delayAt, RetryPolicy, schedule } from "../src/domain/RetryPolicy.ts"

const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const Small = Schema.Struct({
  backoffBaseSeconds: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 600 })),
  backoffMultiplier: Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 4 })),
  maxBackoffSeconds: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3_600 })),
  jitter: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  maxAttempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))
})

/** Waits are Durations, which tell no less than a nanosecond apart: two of them, in milliseconds. */
const close = (actual: number, expected: number) =>
  Math.abs(actual - expected) <= Math.max(2e-6, 1e-9 * expected)

const formula = (policy: RetryPolicy, index: number) =>
  policy.backoffBaseSeconds === 0
    ? 0
    : Math.min(policy.maxBackoffSeconds, policy.backoffBaseSeconds * policy.backoffMultiplier ** index) *
      1_000

const ext: RetryPolicy = {
  backoffBaseSeconds: 1,
  backoffMultiplier: 2,
  maxBackoffSeconds: 300,
  jitter: 0,
  maxAttempts: 20
}

describe("RetryPolicy", () => {
  it.effect("plans the seed's numbers up to the cap, and no further", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* backoffPlan(ext),
        [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000]
      )
      assert.deepStrictEqual(yield* backoffPlan({ ...ext, maxAttempts: 3 }), [1_000, 2_000])
      assert.deepStrictEqual(yield* backoffPlan({ ...ext, maxAttempts: 1 }), [1_000])
      assert.deepStrictEqual(yield* backoffPlan({ ...ext, backoffMultiplier: 1 }), [1_000])
      assert.deepStrictEqual(yield* backoffPlan({ ...ext, backoffBaseSeconds: 0 }), [0])
      assert.deepStrictEqual(yield* backoffPlan({ ...ext, maxBackoffSeconds: 0 }), [0])
    })
  )

  it.effect.prop("is the seed's formula at each attempt index when there is no jitter", [Small], ([given]) =>
    Effect.gen(function* () {
      // a first wait below what Durations tell apart is none, and stays none
      const { backoffBaseSeconds: base } = given
      const policy = { ...given, jitter: 0, backoffBaseSeconds: base < 1e-6 ? 0 : base }
      const plan = yield* backoffPlan(policy)
      for (let index = 0; index < policy.maxAttempts - 1; index++) {
        assert.isTrue(close(delayAt(plan, policy, index, 0.7), formula(policy, index)), `index ${index}`)
      }
    })
  )

  it.effect.prop(
    "keeps any wait of any policy finite, not negative and under the cap",
    [RetryPolicy, Index, Index],
    ([policy, index, number]) =>
      Effect.map(backoffPlan(policy), (plan) => {
        const wait = delayAt(plan, policy, index, number / 10_001)
        return Number.isFinite(wait) && wait >= 0 && wait <= capMillis(policy)
      })
  )

  it.effect.prop("never waits less for a later attempt when there is no jitter", [RetryPolicy], ([given]) =>
    Effect.map(backoffPlan({ ...given, jitter: 0 }), (plan) =>
      plan.every((wait, index) => index === 0 || wait >= (plan[index - 1] ?? Infinity))
    )
  )

  it.effect.prop(
    "gives as a Schedule what delayAt gives for the same draws, and as many waits as retries",
    [Small, Schema.Int],
    ([policy, seed]) =>
      Effect.gen(function* () {
        let drawn = 0
        const source = Effect.sync(() => draw(seed, 1, drawn++))
        const step = yield* Schedule.toStep(schedule(policy, source))
        const plan = yield* backoffPlan(policy)
        for (let index = 0; ; index++) {
          const wait = yield* step(0, undefined).pipe(
            Effect.map(([, delay]) => Duration.toMillis(delay)),
            Pull.catchDone(() => Effect.succeed(null))
          )
          if (wait === null) {
            assert.strictEqual(index, policy.maxAttempts - 1)
            return
          }
          assert.isTrue(close(wait, delayAt(plan, policy, index, draw(seed, 1, index))), `index ${index}`)
        }
      })
  )

  it.effect("spreads waits by the jitter to both sides, under the cap too", () =>
    Effect.gen(function* () {
      const policy = { ...ext, jitter: 0.2 }
      const plan = yield* backoffPlan(policy)
      assert.strictEqual(delayAt(plan, policy, 1, 0), 1_600)
      assert.strictEqual(delayAt(plan, policy, 1, 0.5), 2_000)
      assert.isTrue(close(delayAt(plan, policy, 1, 0.999999999999), 2_400))
      assert.strictEqual(delayAt(plan, policy, 99, 0), 240_000)
      assert.strictEqual(delayAt(plan, policy, 99, 0.9), 300_000)
    })
  )

  it.effect("waits for nothing when the base is 0, also where the power is larger than any number", () =>
    Effect.gen(function* () {
      const policy = { ...ext, backoffBaseSeconds: 0, backoffMultiplier: 1_000, maxAttempts: 200 }
      const step = yield* Schedule.toStep(schedule(policy, Effect.succeed(0.5)))
      for (let index = 0; index < 199; index++) {
        assert.strictEqual(Duration.toMillis((yield* step(0, undefined))[1]), 0)
      }
    })
  )

  it("refuses numbers that make no policy", () => {
    const valid = Schema.is(RetryPolicy)
    assert.isTrue(valid(ext))
    for (const wrong of [
      { backoffBaseSeconds: -1 },
      { backoffBaseSeconds: NaN },
      { maxBackoffSeconds: Infinity },
      { backoffMultiplier: 0.5 },
      { jitter: 1.1 },
      { jitter: -0.1 },
      { maxAttempts: 0 },
      { maxAttempts: 1.5 }
    ]) {
      assert.isFalse(valid({ ...ext, ...wrong }), JSON.stringify(wrong))
    }
  })
})
