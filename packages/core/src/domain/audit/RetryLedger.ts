/**
 * The retry log of one job, row by row: held to the catalogue's formula and budgets (R2, R3).
 */
import { Option, Predicate, Result } from "effect"
import { limits } from "../Defaults.ts"
import type { Catalogue, Entry } from "../ErrorCatalogue.ts"
import type { Job } from "../Job.ts"
import { attemptsAllowed } from "../Reaction.ts"
import { capMillis } from "../RetryPolicy.ts"
import type { RetryEntry } from "../turn/Draft.ts"
import type { Findings } from "./Finding.ts"

/** What the chain of events is compared with. */
export interface LoggedRetry {
  readonly code: string
  readonly at: number
  readonly nextAt: number
}

/** The hint that the failure brought, in milliseconds; null for none. */
const hintOf = (failure: string): number | null => {
  const parsed = Option.getOrUndefined(Result.getSuccess(Result.try((): unknown => JSON.parse(failure))))
  const hint: unknown = Predicate.hasProperty(parsed, "retryAfterMillis") ? parsed.retryAfterMillis : null
  return typeof hint === "number" ? hint : null
}

/** Whether the wait stands in the band of one of the indices up to this attempt: a healthy period may have reset the backoff. */
const isByFormula = ({ plan, policy }: Entry, attempt: number, delay: number): boolean => {
  const cap = capMillis(policy)
  for (let index = Math.min(attempt, plan.length) - 1; index >= 0; index--) {
    const wait = plan[index] ?? plan[0]
    const least = Math.floor(Math.min(cap, wait * (1 - policy.jitter)))
    if (delay >= least && delay <= Math.min(cap, wait * (1 + policy.jitter))) return true
  }
  return false
}

/** As `react` makes a hold out of a hint: at least the first wait, spread upward. */
const isByHint = ({ plan, policy }: Entry, hint: number, delay: number): boolean => {
  const least = Math.min(Math.max(hint, plan[0]), limits.retryAfterMillis)
  return delay >= least && delay <= Math.ceil(least + Math.min(least * policy.jitter, capMillis(policy)))
}

export class RetryLedger {
  readonly rows: Array<LoggedRetry> = []
  private burned = 0
  private readonly job: Job
  private readonly subject: string
  private readonly catalogue: Catalogue
  private readonly found: Findings

  constructor(job: Job, catalogue: Catalogue, found: Findings) {
    this.job = job
    this.subject = `job:${job.jobId}`
    this.catalogue = catalogue
    this.found = found
  }

  /** The next row, in the order written. */
  add(row: RetryEntry): void {
    const { at, attempt, burned, delayMillis, errorCode, nextAt } = row
    this.rows.push({ code: errorCode, at, nextAt })
    if (burned) this.burned++
    const name = `retry ${this.rows.length} (${errorCode})`
    if (attempt !== this.burned)
      this.note("retry-count", `${name} says attempt ${attempt}, and ${this.burned} are burned by then`)
    if (nextAt !== at + delayMillis)
      this.note("retry-delay", `${name} of ${at} with a delay of ${delayMillis} ms is due at ${nextAt}`)
    this.hold(row, name)
  }

  /** After the last row. */
  conclude(): void {
    const { maxRetries, retryCount } = this.job
    if (this.burned !== retryCount)
      this.note("retry-count", `retry_count is ${retryCount}, and the log has ${this.burned} burned retries`)
    if (retryCount > maxRetries)
      this.note("retry-over-budget", `${retryCount} retries are burned, ${maxRetries} are allowed`)
  }

  /** Holds a row to the row of its code. */
  private hold({ attempt, burned, delayMillis, errorCode, failure }: RetryEntry, name: string): void {
    const entry = this.catalogue.lookup(errorCode)
    const { policy } = entry
    const hint = hintOf(failure)
    if (!policy.retryable) {
      // An unburned row without a hint is the fleet's own patience: a plugin that is broken, an operator who is asked.
      if (burned || hint !== null) this.note("retry-permanent", `${name}: the catalogue says permanent`)
    } else if (burned) {
      const allowed = attemptsAllowed(this.job.maxRetries, policy.maxAttempts)
      if (attempt >= allowed)
        this.note("retry-over-budget", `${name} follows on burned attempt ${attempt} of ${allowed}`)
      if (!isByFormula(entry, attempt, delayMillis))
        this.note("retry-delay", `${name} waits ${delayMillis} ms after attempt ${attempt}`)
    } else if (hint !== null && !isByHint(entry, hint, delayMillis)) {
      this.note("retry-delay", `${name} waits ${delayMillis} ms and was asked to wait ${hint} ms`)
    } else if (delayMillis < 0) {
      this.note("retry-delay", `${name} waits ${delayMillis} ms`)
    }
  }

  private note(
    rule: "retry-count" | "retry-delay" | "retry-permanent" | "retry-over-budget",
    detail: string
  ) {
    this.found.add(rule, this.subject, detail)
  }
}
