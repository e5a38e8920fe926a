/**
 * How long to wait before an attempt: min(max, base * multiplier ^ attempt_index), jittered, and capped after the jitter
 * (seed, "Exponential Backoff Policy"). Effect's Schedule makes the numbers; `backoffPlan` steps it once, so that the pure
 * decision can look them up.
 */
import { Duration, Effect, Pull, Schedule, Schema } from "effect"

const NonNegative = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e12 }))

/** The seed's fields of a code, under the seed's names in JSON. */
export const fields = {
  /** The first wait, in seconds. */
  backoffBaseSeconds: NonNegative,
  /** Each wait is this many times the one before; 1 for equal waits. */
  backoffMultiplier: Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })),
  /** No wait is longer than this, in seconds. */
  maxBackoffSeconds: NonNegative,
  /** How far a wait may stray to either side, as a fraction of itself: 0.2 is ± 20 %; 0 is none. */
  jitter: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  /** Attempts in all, the first one included; 1: no retry. */
  maxAttempts: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))
}

export const RetryPolicy = Schema.Struct(fields)
export type RetryPolicy = typeof RetryPolicy.Type

/** The longest wait, in milliseconds. */
export const capMillis = (policy: RetryPolicy): number => policy.maxBackoffSeconds * 1_000

const factor = (policy: RetryPolicy, draw: number): number => 1 - policy.jitter + 2 * policy.jitter * draw

const uncapped = (policy: RetryPolicy): Schedule.Schedule<Duration.Duration> =>
  Schedule.exponential(Duration.seconds(policy.backoffBaseSeconds), policy.backoffMultiplier)

const cap =
  (policy: RetryPolicy) =>
  <Output, Input, Error, Env>(self: Schedule.Schedule<Output, Input, Error, Env>) =>
    Schedule.modifyDelay(self, ({ duration }) =>
      Effect.succeed(Duration.min(Duration.fromInputUnsafe(duration), Duration.millis(capMillis(policy))))
    )

const attempts =
  (policy: RetryPolicy) =>
  <Output, Input, Error, Env>(self: Schedule.Schedule<Output, Input, Error, Env>) =>
    Schedule.upTo(self, { times: policy.maxAttempts - 1 })

/**
 * The policy as a Schedule, for code that retries in its own fiber. It is capped, jittered and capped again: the first cap
 * keeps the jitter alive where the wait has reached its limit (else every waiting job would start at the same instant),
 * the second one holds the limit.
 *
 * @param draw gives a number in [0, 1) for each wait: `Random.next`, or draws of one's own
 */
export const schedule = <E, R>(
  policy: RetryPolicy,
  draw: Effect.Effect<number, E, R>
): Schedule.Schedule<Duration.Duration, unknown, E, R> =>
  uncapped(policy).pipe(
    cap(policy),
    Schedule.modifyDelay(({ duration }) =>
      Effect.map(draw, (number) =>
        Duration.millis(Duration.toMillis(Duration.fromInputUnsafe(duration)) * factor(policy, number))
      )
    ),
    cap(policy),
    attempts(policy)
  )

/** The waits by attempt_index, in milliseconds, capped and without jitter; the last one stands for all that follow. */
export type BackoffPlan = readonly [number, ...ReadonlyArray<number>]

/** Steps the Schedule until its waits no longer grow or the attempts are used up. */
export const backoffPlan = Effect.fnUntraced(function* (policy: RetryPolicy) {
  const next = yield* Schedule.toStep(uncapped(policy).pipe(cap(policy), attempts(policy)))
  const equal = policy.backoffBaseSeconds === 0 || policy.backoffMultiplier === 1
  const plan: Array<number> = []
  for (;;) {
    const wait = yield* next(0, undefined).pipe(
      Effect.map(([, delay]) => Duration.toMillis(delay)),
      Pull.catchDone(() => Effect.succeed(null))
    )
    if (wait === null) break
    plan.push(wait)
    if (equal || wait === capMillis(policy)) break
  }
  const [first = Math.min(policy.backoffBaseSeconds * 1_000, capMillis(policy)), ...rest] = plan
  const whole: BackoffPlan = [first, ...rest]
  return whole
})

/**
 * The wait before the attempt that follows burned attempt number `attemptIndex` + 1, in milliseconds: from the plan,
 * jittered, then capped. May be asked for any index at any time: nothing is remembered between two calls.
 *
 * @param draw in [0, 1)
 */
export const delayAt = (
  plan: BackoffPlan,
  policy: RetryPolicy,
  attemptIndex: number,
  draw: number
): number => {
  const wait = plan[Math.min(Math.max(0, Math.trunc(attemptIndex)), plan.length - 1)] ?? plan[0]
  return Math.min(capMillis(policy), wait * factor(policy, draw))
}
