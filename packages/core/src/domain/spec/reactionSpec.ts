/**
 * The third and fourth outputs of the seed: what follows from each code, asked of `react` itself, and the waits between attempts as the
 * catalogue has planned them.
 */
import type { Catalogue, Entry } from "../ErrorCatalogue.ts"
import { attemptsAllowed, react, type Reaction } from "../Reaction.ts"
import { delayAt } from "../RetryPolicy.ts"

/** What follows: another attempt, a dead letter, or the end without one. */
type Consequence = "retry" | "dead_letter" | "fail"

export interface ReactionSpec {
  /** A code, a prefix like `EXT_*`, or `*` for all that no row names. */
  readonly code: string
  readonly category: string | null
  readonly severity: string
  readonly retryable: boolean
  readonly max_attempts: number
  readonly backoff_base_seconds: number
  readonly backoff_multiplier: number
  readonly max_backoff_seconds: number
  readonly jitter: number
  readonly dead_letter_on_exhaustion: boolean
  readonly first_failure: Consequence
  /** What follows when no attempt is left; null for a code that is never tried again. */
  readonly exhausted: Consequence | null
  /** The attempts that each workflow's jobs may burn on it: the smaller of its budget and the code's. */
  readonly attempts: ReadonlyArray<{ readonly workflow: string; readonly allowed: number }>
  readonly replay_eligible: boolean
  readonly exit_code: number
  /** How often it stands in the store's events, retries and letters; of a prefix, the codes that it answers for. */
  readonly seen: number
  readonly hint: string
}

export interface BackoffSpec {
  readonly code: string
  readonly formula: string
  /** One a wait: before which attempt, how long without jitter, and between which bounds with it. */
  readonly waits: ReadonlyArray<{
    readonly attempt: number
    readonly delay_seconds: number
    readonly earliest_seconds: number
    readonly latest_seconds: number
  }>
  /** All waits of the code's whole budget, as planned; `complete` is false where there are more than are written out. */
  readonly total_seconds: number
  readonly complete: boolean
}

interface Budget {
  readonly name: string
  readonly max_retries: number
}

const consequence = (reaction: Reaction): Consequence =>
  reaction._tag === "Fail" ? (reaction.quarantine ? "dead_letter" : "fail") : "retry"

/** The middle of the jitter. */
const draw = 0.5

const seenBy = (catalogue: Catalogue, code: string, raised: ReadonlyMap<string, number>): number =>
  Array.from(raised)
    .filter(([name]) => catalogue.lookup(name).policy.code === code)
    .reduce((sum, [, count]) => sum + count, 0)

/** One row for each row of the catalogue. */
export const reactionSpecs = (
  catalogue: Catalogue,
  budgets: ReadonlyArray<Budget>,
  raised: ReadonlyMap<string, number>
): ReadonlyArray<ReactionSpec> => {
  const largest = Math.max(...budgets.map(({ max_retries }) => max_retries))
  return catalogue.entries.map(({ policy }): ReactionSpec => {
    const { code } = policy
    const after = (burned: number, maxRetries: number): Consequence =>
      consequence(react(catalogue, { code, burned, maxRetries, retryAfterMillis: null, now: 0, draw }))
    return {
      code,
      category: policy.category,
      severity: policy.severity,
      retryable: policy.retryable,
      max_attempts: policy.maxAttempts,
      backoff_base_seconds: policy.backoffBaseSeconds,
      backoff_multiplier: policy.backoffMultiplier,
      max_backoff_seconds: policy.maxBackoffSeconds,
      jitter: policy.jitter,
      dead_letter_on_exhaustion: policy.deadLetterOnExhaustion,
      first_failure: after(1, largest),
      exhausted: policy.retryable ? after(attemptsAllowed(largest, policy.maxAttempts), largest) : null,
      attempts: budgets.map(({ max_retries, name }) => ({
        workflow: name,
        allowed: policy.retryable ? attemptsAllowed(max_retries, policy.maxAttempts) : 1
      })),
      replay_eligible: policy.replayEligible,
      exit_code: policy.exitCode,
      seen: seenBy(catalogue, code, raised),
      hint: policy.hint
    }
  })
}

/** More waits than these are not written out: they are all equal to the last one by then. */
const written = 20

const seconds = (millis: number): number => Math.floor(millis) / 1_000

const backoffOf = ({ plan, policy }: Entry): BackoffSpec => {
  const all = policy.maxAttempts - 1
  const at = (index: number, chance: number): number => seconds(delayAt(plan, policy, index, chance))
  const planned = (index: number): number => seconds(plan[Math.min(index, plan.length - 1)] ?? plan[0])
  const waits = Array.from({ length: Math.min(all, written) }, (_, index) => ({
    attempt: index + 2,
    delay_seconds: planned(index),
    earliest_seconds: at(index, 0),
    latest_seconds: at(index, 1)
  }))
  return {
    code: policy.code,
    formula: `min(${policy.maxBackoffSeconds}, ${policy.backoffBaseSeconds} * ${policy.backoffMultiplier} ^ attempt_index)`,
    waits,
    total_seconds: Array.from({ length: all }, (_, index) => planned(index)).reduce(
      (sum, wait) => sum + wait,
      0
    ),
    complete: all <= written
  }
}

/** The waits of every code that is tried again. */
export const backoffSpecs = (catalogue: Catalogue): ReadonlyArray<BackoffSpec> =>
  catalogue.entries.filter(({ policy }) => policy.retryable).map(backoffOf)
