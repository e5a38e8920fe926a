import { limits } from "./Defaults.ts"
/**
 * What follows from a failed attempt: a pure function of its code, the attempts so far and a hint (R2, R3).
 */
import type { Catalogue } from "./ErrorCatalogue.ts"
import { capMillis, delayAt } from "./RetryPolicy.ts"

/** Try again at `dueAt`; the attempt counts. */
export interface Retry {
  readonly _tag: "Retry"
  /** Epoch ms. */
  readonly dueAt: number
  readonly delayMillis: number
  readonly burned: true
}

/** The outside asked for patience: go on at `dueAt`; the attempt doesn't count. */
export interface Hold {
  readonly _tag: "Hold"
  /** Epoch ms; never before the hint. */
  readonly dueAt: number
  readonly delayMillis: number
  readonly burned: false
}

/** No further attempt. */
export interface Fail {
  readonly _tag: "Fail"
  readonly burned: true
  /** The code is retryable, but the budget is used up: the event carries ORCH_RETRY_BUDGET_EXHAUSTED. */
  readonly exhausted: boolean
  /** Whether the job goes on to DEAD_LETTERED in the same commit. */
  readonly quarantine: boolean
  /** What the letter starts with. */
  readonly replayEligible: boolean
}

export type Reaction = Retry | Hold | Fail

export interface FailedAttempt {
  readonly code: string
  /** Burned attempts so far, this one included. */
  readonly burned: number
  /** The job's. */
  readonly maxRetries: number
  /** How long the outside asked to wait, in milliseconds; null for no hint. */
  readonly retryAfterMillis: number | null
  /** Epoch ms. */
  readonly now: number
  /** In [0, 1), for the jitter. */
  readonly draw: number
  /** Where in the backoff the next wait stands; `burned - 1` unless a healthy period has reset it. */
  readonly attemptIndex?: number
}

/** The attempts that a job may burn on a code: the smaller of its own budget and the code's (R3). */
export const attemptsAllowed = (maxRetries: number, maxAttempts: number): number =>
  Math.min(maxRetries + 1, maxAttempts)

/** Decides what follows from a failed attempt. */
export const react = (catalogue: Catalogue, attempt: FailedAttempt): Reaction => {
  const { plan, policy } = catalogue.lookup(attempt.code)
  if (!policy.retryable) {
    return {
      _tag: "Fail",
      burned: true,
      exhausted: false,
      quarantine: policy.quarantine,
      replayEligible: policy.replayEligible
    }
  }
  if (attempt.retryAfterMillis !== null) {
    // at least the first wait of the code: a hint of 0 must not turn into a loop that burns nothing
    const hint = Math.min(Math.max(attempt.retryAfterMillis, plan[0]), limits.retryAfterMillis)
    const spread = Math.min(hint * policy.jitter, capMillis(policy)) * attempt.draw
    const delayMillis = Math.ceil(hint + spread)
    return { _tag: "Hold", dueAt: attempt.now + delayMillis, delayMillis, burned: false }
  }
  if (attempt.burned < attemptsAllowed(attempt.maxRetries, policy.maxAttempts)) {
    const index = attempt.attemptIndex ?? attempt.burned - 1
    const delayMillis = Math.floor(delayAt(plan, policy, index, attempt.draw))
    return { _tag: "Retry", dueAt: attempt.now + delayMillis, delayMillis, burned: true }
  }
  // the letter is mandatory here, whatever the row says (seed, "Dead-Letter Contract")
  return {
    _tag: "Fail",
    burned: true,
    exhausted: true,
    quarantine: true,
    replayEligible: policy.replayEligible
  }
}
