/**
 * Recurring failure: one code keeps coming back, in several jobs and with time between. A burst is the storm breaker's to deal with, and one
 * job that fails again and again its retry policy's.
 */
import {
  type BuiltFacet,
  builtInFacet,
  type FailureGlance,
  type Firing,
  type FleetGlance,
  reflectionPolicy
} from "@muster/core"
import { Effect } from "effect"

const { apartMillis, failures: least, jobs: leastJobs, windowMillis } = reflectionPolicy.recurrence

interface Recurrence {
  readonly code: string
  readonly count: number
  readonly jobs: ReadonlyArray<string>
  readonly first: number
  readonly last: number
}

const recurrenceOf = (code: string, failures: ReadonlyArray<FailureGlance>): Recurrence => {
  const times = failures.map(({ at }) => at)
  return {
    code,
    count: failures.length,
    jobs: [...new Set(failures.map(({ jobId }) => jobId))],
    first: Math.min(...times),
    last: Math.max(...times)
  }
}

const minutes = (millis: number): number => Math.max(1, Math.round(millis / 60_000))

const judge = ({ failures, now }: FleetGlance): Firing | null => {
  const recent = failures.filter(({ at }) => now - at < windowMillis)
  const [worst] = Array.from(
    Map.groupBy(recent, ({ code }) => code),
    ([code, some]) => recurrenceOf(code, some)
  )
    .filter(
      ({ count, first, jobs, last }) =>
        count >= least && jobs.length >= leastJobs && last - first >= apartMillis
    )
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
  if (worst === undefined) return null
  const { code, count, first, jobs, last } = worst
  return {
    about: `code:${code}`,
    sentence: `${code} keeps coming back: ${count} failures of ${jobs.length} jobs within ${minutes(last - first)} minutes; what to do is in muster policy ${code}`,
    followUp: "tell",
    evidence: { code, failures: count, jobs: jobs.slice(-20), first_at: first, last_at: last }
  }
}

export const recurringFailure: BuiltFacet = {
  ...builtInFacet("recurring-failure"),
  reflect: (glance) => Effect.sync(() => judge(glance))
}
