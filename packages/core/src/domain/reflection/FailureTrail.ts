/**
 * The failed attempts of the recent past, read off the events: one for each retry that was scheduled and each job that failed for good.
 */
import { Option, Schema } from "effect"
import type { LifecycleEvent } from "../LifecycleEvent.ts"
import type { FailureGlance } from "./FleetGlance.ts"

/** How far back it goes, in milliseconds, and how many it holds at most. */
export const trail = { windowMillis: 3_600_000, failures: 500 } as const

const failing: ReadonlySet<string> = new Set(["schedule_retry", "fail", "reject"])

const decodeDetail = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ code: Schema.String })))

/** Where the budget is exhausted the event names that, and its detail the real code (R3). */
const codeOf = ({ detail, errorCode }: LifecycleEvent): string | null =>
  errorCode === "ORCH_RETRY_BUDGET_EXHAUSTED"
    ? Option.match(decodeDetail(detail), { onNone: () => errorCode, onSome: ({ code }) => code })
    : errorCode

/** Null for an event that tells of no failed attempt. */
export const failureOf = (event: LifecycleEvent): FailureGlance | null => {
  if (event.subjectKind !== "job" || event.jobId === null || !failing.has(event.event)) return null
  const code = codeOf(event)
  return code === null ? null : { code, jobId: event.jobId, at: event.occurredAt }
}

/** The trail with what has come since, without what is too old or too much. */
export const extended = (
  known: ReadonlyArray<FailureGlance>,
  events: ReadonlyArray<LifecycleEvent>,
  now: number
): ReadonlyArray<FailureGlance> =>
  [...known, ...events.flatMap((event) => failureOf(event) ?? [])]
    .filter(({ at }) => now - at < trail.windowMillis)
    .slice(-trail.failures)
