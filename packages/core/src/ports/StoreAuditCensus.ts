/**
 * The audit's first pass: what the store holds of each job, counted without regard to chains and rows, in a few bytes a job.
 */
import { Effect } from "effect"
import { checkBare } from "../domain/audit/eventRecord.ts"
import { type Finding, Findings } from "../domain/audit/Finding.ts"
import type { JobCensus } from "../domain/audit/JobAudit.ts"
import { JobCounts } from "../domain/audit/JobNumbers.ts"
import { seqOf } from "../domain/Job.ts"
import { Store } from "./Store.ts"
import type { RecordRow } from "./StoreDriver.ts"
import { eachRow } from "./StorePages.ts"

export interface Census {
  /** The sequence up to which events are counted. */
  readonly bound: number
  readonly events: JobCounts
  readonly retries: JobCounts
  readonly letters: JobCounts
  readonly markers: JobCounts
  /** Letters that nobody has discarded, of jobs that no replay has superseded. */
  readonly lettersKept: number
  /** Of events that belong to no job. */
  readonly findings: ReadonlyArray<Finding>
  readonly of: (seq: number) => JobCensus
}

/** Whether the kept count of letters counts it. */
export const isKept = (row: Extract<RecordRow, { readonly kind: "letters" }>["row"]): boolean =>
  row.replayed_by === null && row.discarded_at === null

/** Reads everything that lies beside the jobs' rows. */
export const takeCensus = Effect.fnUntraced(function* (bound: number) {
  const store = yield* Store
  const found = new Findings()
  const [events, completions] = [new JobCounts(), new JobCounts()]
  yield* eachRow(
    (after, limit) => store.events({ job: null, after, limit, order: "ascending" }),
    ({ sequence }) => sequence,
    (event) => {
      if (event.sequence > bound) return
      const seq = event.jobId === null ? undefined : seqOf(store.id, event.jobId)
      // Those of jobs are looked at with their chains.
      if (seq === undefined) checkBare(event, found)
      events.add(seq ?? 0)
      if (event.subjectKind === "job" && event.toState === "COMPLETED") completions.add(seq ?? 0)
    }
  )
  const [retries, letters, markers] = [new JobCounts(), new JobCounts(), new JobCounts()]
  let lettersKept = 0
  yield* eachRow(
    (after, limit) => store.records({ kind: "retries", job: null, after, limit }),
    ({ cursor }) => cursor,
    ({ job }) => retries.add(job)
  )
  yield* eachRow(
    (after, limit) => store.records({ kind: "letters", job: null, after, limit }),
    ({ cursor }) => cursor,
    ({ job, row }) => {
      letters.add(job)
      if (isKept(row)) lettersKept++
    }
  )
  yield* eachRow(
    (after, limit) => store.records({ kind: "markers", job: null, after, limit }),
    ({ cursor }) => cursor,
    ({ job }) => markers.add(job)
  )
  const census: Census = {
    bound,
    events,
    retries,
    letters,
    markers,
    lettersKept,
    findings: found.all,
    of: (seq) => ({ events: events.of(seq), completions: completions.of(seq) })
  }
  return census
})
