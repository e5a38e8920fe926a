/**
 * How a run ended: counted from the stored rows of its jobs, said for people in a few lines.
 */
import { exit, type JobState, seqOf, Store } from "@muster/core"
import { Effect } from "effect"
import { brief } from "../output/Duration.ts"
import type { Style } from "../output/Style.ts"
import type { RunCounts } from "./RunJobs.ts"
import type { RunSummaryJson } from "./RunJson.ts"
import type { RunJob, RunProgress } from "./RunProgress.ts"

const pageSize = 1_000

const statesOf = Effect.fnUntraced(function* (jobs: ReadonlyArray<RunJob>) {
  const store = yield* Store
  const states = new Map<string, JobState>()
  for (let from = 0; from < jobs.length; from += pageSize) {
    const seqs = jobs.slice(from, from + pageSize).flatMap(({ jobId }) => seqOf(store.id, jobId) ?? [])
    for (const { job } of yield* store.jobs({ by: "seq", seqs, bodies: false })) {
      states.set(job.jobId, job.state)
    }
  }
  return states
})

export interface RunEnd {
  readonly workflows: ReadonlyArray<string>
  /** The store's path as the caller gave it. */
  readonly store: string
  readonly progress: RunProgress
  readonly counts: RunCounts
  /** Lines that there were to hand in. */
  readonly lines: number
  /** Bad lines that were left out. */
  readonly skipped: number
  readonly elapsedMillis: number
  readonly interrupted: boolean
}

/** Reads what the store says of the run's jobs. */
export const summarise = Effect.fnUntraced(function* (end: RunEnd) {
  const { counts, progress } = end
  const jobs = Array.from(progress.jobs)
  const states = yield* statesOf(jobs)
  const stateOf = (job: RunJob): JobState => states.get(job.jobId) ?? job.state
  const count = (wanted: ReadonlyArray<JobState>): number =>
    jobs.filter((job) => wanted.includes(stateOf(job))).length
  const completed = count(["COMPLETED"])
  const open = jobs.filter(
    (job) => !["COMPLETED", "DEAD_LETTERED", "FAILED", "CANCELLED"].includes(stateOf(job))
  )
  const isWhole = completed === jobs.length && counts.conflicts === 0
  const summary: RunSummaryJson = {
    type: "summary",
    workflow_types: end.workflows,
    store: end.store,
    lines: counts.lines,
    unsubmitted: end.lines - counts.lines,
    skipped: end.skipped,
    submitted: counts.submitted,
    duplicates: counts.duplicates,
    already: counts.already,
    conflicts: counts.conflicts,
    jobs: jobs.length,
    completed,
    dead_lettered: count(["DEAD_LETTERED"]),
    failed: count(["FAILED"]),
    cancelled: count(["CANCELLED"]),
    unfinished: open.filter(({ served }) => served).length,
    not_served: open.filter(({ served }) => !served).length,
    retries: progress.retries,
    elapsed_ms: end.elapsedMillis,
    interrupted: end.interrupted,
    exit_code: end.interrupted ? exit.interrupted : isWhole ? exit.ok : exit.incomplete
  }
  const example = jobs.find((job) => stateOf(job) !== "COMPLETED" && job.over) ?? jobs.at(-1)
  return { summary, example: example?.jobId ?? null }
})

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** `42 jobs in 3.1s: 40 landed, 2 dead`: what has become of the jobs. */
const outcome = (summary: RunSummaryJson, style: Style): string => {
  if (summary.jobs === 0 && summary.lines + summary.unsubmitted === 0) {
    return `Nothing to do: no job of ${summary.workflow_types.join(", ")} waits.`
  }
  const dead = summary.dead_lettered + summary.failed
  const parts = [
    style.good(`${summary.completed} landed`),
    ...(dead === 0 ? [] : [style.bad(`${dead} dead`)]),
    ...(summary.cancelled === 0 ? [] : [style.waiting(`${summary.cancelled} cancelled`)]),
    ...(summary.unfinished === 0 ? [] : [style.waiting(`${summary.unfinished} left`)]),
    ...(summary.not_served === 0 ? [] : [style.waiting(`${summary.not_served} for others`)])
  ]
  const whole = `${plural(summary.jobs, "job")} in ${brief(summary.elapsed_ms)}`
  return `${style.title(whole)}: ${parts.join(", ")}`
}

const remarks = (summary: RunSummaryJson): ReadonlyArray<string> => {
  const { already, conflicts, duplicates, not_served: others, retries, skipped, unsubmitted } = summary
  return [
    ...(retries === 0 ? [] : [`${plural(retries, "retry").replace("retrys", "retries")} along the way`]),
    ...(duplicates === 0
      ? []
      : [`${plural(duplicates, "line")} of jobs that were there already, ${already} of them over before`]),
    ...(conflicts === 0
      ? []
      : [
          `${plural(conflicts, "line")} not taken: the key belongs to another payload (ORCH_DUPLICATE_IDEMPOTENCY_KEY)`
        ]),
    ...(unsubmitted === 0 ? [] : [`${plural(unsubmitted, "line")} not handed in any more`]),
    ...(skipped === 0 ? [] : [`${plural(skipped, "bad line")} skipped`]),
    ...(others === 0
      ? []
      : [`${plural(others, "job")} of other workflows stored, for a host that serves them; not waited for`])
  ]
}

/** The summary for people. `next`: commands to type, each on a line of its own. */
export const summaryLines = (
  summary: RunSummaryJson,
  next: ReadonlyArray<string>,
  style: Style
): ReadonlyArray<string> => [
  outcome(summary, style),
  ...remarks(summary).map((remark) => `  ${remark}`),
  ...(next.length === 0 ? [] : [style.faint(summary.interrupted ? "Go on with:" : "Look closer:")]),
  ...next.map((command) => `  ${command}`)
]
