/** Invariants of budgets: what may be repeated, how often, and that each try is in the log. */
import { attemptsAllowed } from "../../domain/Reaction.ts"
import { make } from "../Invariant.ts"
import { always, alwaysStep } from "../Temporal.ts"
import type { Stored, World } from "../world/World.ts"
import { type FleetInvariant, movesSince, ofEachChange, ofEachJob, retriesSince } from "./Look.ts"

/** What each failed attempt of this step may still have cost. */
const overspent = (before: Stored | null, after: Stored, { rules }: World): ReadonlyArray<string> => {
  const { maxRetries } = after.job
  const burned = retriesSince(before, after).filter((retry) => retry.burned)
  const former = before?.job.retryCount ?? 0
  const repeated = burned.flatMap(({ errorCode }, index) => {
    const { maxAttempts } = rules.catalogue.lookup(errorCode).policy
    const attempt = former + index + 1
    return attempt >= attemptsAllowed(maxRetries, maxAttempts)
      ? [`${errorCode} was repeated after attempt ${attempt}`]
      : []
  })
  const failed = movesSince(before, after).some(({ event, transitionReason }) =>
    event === "fail" ? transitionReason !== "restart_budget_exhausted" : event === "reject"
  )
  const attempts = after.job.retryCount + (failed ? 1 : 0)
  return attempts > maxRetries + 1
    ? [...repeated, `${attempts} attempts were burned, and ${maxRetries} may be repeated`]
    : repeated
}

/**
 * Recoveries that lie too close together, from the story itself and not from what the row says of it. Half a window leaves room for clocks that
 * were set back; progress begins the budget anew.
 */
const recoveredTooOften = ({ events, job, renewed }: Stored, { rules }: World): string | null => {
  const policy = rules.workflows.get(job.workflowType)?.restarts
  if (policy === undefined) return null
  for (const [index, from] of [0, ...renewed].entries()) {
    const lost = events
      .slice(from, renewed[index] ?? events.length)
      .filter(
        ({ event, transitionReason: reason }) =>
          event === "schedule_retry" && (reason === "host_lost" || reason === "landing_unknown")
      )
    for (const [at, { occurredAt }] of lost.entries()) {
      const before = lost[at - policy.restarts]
      if (before !== undefined && occurredAt - before.occurredAt < policy.windowMillis / 2)
        return "it was recovered more often than its restart budget allows"
    }
  }
  return null
}

export const attempts: ReadonlyArray<FleetInvariant> = [
  make({
    id: "attempts-within-budget",
    sentence: "The attempts that a job burns never exceed its budget, nor that of the code that fails them.",
    lanes: ["loop", "other_loop", "agent"],
    primitive: "compare_and_swap",
    temporal: alwaysStep(ofEachChange((before, after, worlds) => overspent(before, after, worlds.after))),
    source: "seed 1, Bounded retry budget; R3"
  }),
  make({
    id: "retries-are-logged",
    sentence: "Each retry that is scheduled for an error has its row in the log, and each burned one counts.",
    lanes: ["loop"],
    primitive: "one_commit",
    temporal: alwaysStep(
      ofEachChange((before, after) => {
        const rows = retriesSince(before, after)
        const burned = rows.filter((retry) => retry.burned).length
        const counted = after.job.retryCount - (before?.job.retryCount ?? 0)
        const scheduled = movesSince(before, after).filter(
          ({ errorCode, event }) => event === "schedule_retry" && errorCode !== null
        ).length
        return [
          ...(counted === burned ? [] : [`retry_count rose by ${counted}, and the log by ${burned}`]),
          ...(scheduled === rows.length ? [] : ["a retry is not in the log, or is there twice"])
        ]
      })
    ),
    source: "seed 1, Retry audit log"
  }),
  make({
    id: "restarts-within-budget",
    sentence: "An agent is not recovered more often within a window than its restart budget allows.",
    lanes: ["loop"],
    primitive: "timer",
    temporal: always(ofEachJob(recoveredTooOften)),
    source: "R2"
  })
]
