/**
 * What belongs to a job that isn't there. Seldom needed: only the numbers that the job pass has not met are looked at again, since a job
 * may have been forgotten meanwhile with all that belongs to it.
 */
import { Effect } from "effect"
import type { Findings } from "../domain/audit/Finding.ts"
import type { JobCounts } from "../domain/audit/JobNumbers.ts"
import { jobId, seqOf } from "../domain/Job.ts"
import { Store } from "./Store.ts"
import type { Census } from "./StoreAuditCensus.ts"
import { eachRow, readable } from "./StorePages.ts"

/** Those of the numbers whose job is not in the store now. */
const missing = Effect.fnUntraced(function* (counts: JobCounts, seen: JobCounts) {
  const store = yield* Store
  const gone = new Set<number>()
  for (const seq of counts.without(seen)) {
    if (seq === 0) continue
    const rows = yield* readable(store.jobs({ by: "seq", seqs: [seq], bodies: false }))
    if (rows?.length === 0) gone.add(seq)
  }
  return gone
})

/** @param seen the jobs that the job pass has met */
export const checkStrays = Effect.fnUntraced(function* (census: Census, seen: JobCounts, found: Findings) {
  const store = yield* Store
  const jobless = (seq: number) => `job ${jobId(store.id, seq)} doesn't exist`
  for (const kind of ["retries", "letters", "markers"] as const)
    for (const seq of yield* missing(census[kind], seen)) {
      const left = yield* store.records({ kind, job: seq, after: 0, limit: 1 })
      if (left.length > 0)
        found.add("record-stray", `job:${jobId(store.id, seq)}`, `${kind} are left, and ${jobless(seq)}`)
    }
  const gone = yield* missing(census.events, seen)
  if (gone.size === 0) return
  yield* eachRow(
    (after, limit) => store.events({ job: null, after, limit, order: "ascending" }),
    ({ sequence }) => sequence,
    ({ event, eventId, jobId: id }) => {
      const seq = id === null ? undefined : seqOf(store.id, id)
      if (seq === undefined || !gone.has(seq)) return
      found.add(
        "event-stray",
        `job:${jobId(store.id, seq)}`,
        `${event} (${eventId}) is left, and ${jobless(seq)}`
      )
    }
  )
})
