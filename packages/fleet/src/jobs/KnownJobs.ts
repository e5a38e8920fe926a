/**
 * Which of some jobs a store still has: what lies beside it of the others may go. An id of another store counts as known, since this one can't
 * tell.
 */
import { seqOf, type StoreService } from "@muster/core"
import { Effect } from "effect"

export const knownJobs = Effect.fnUntraced(function* (store: StoreService, jobIds: ReadonlyArray<string>) {
  const known = new Set<string>()
  const seqs: Array<number> = []
  for (const jobId of jobIds) {
    const seq = jobId.startsWith(`${store.id}-`) ? seqOf(store.id, jobId) : undefined
    if (seq === undefined) known.add(jobId)
    else seqs.push(seq)
  }
  const found = seqs.length === 0 ? [] : yield* store.jobs({ by: "seq", seqs, bodies: false })
  for (const { job } of found) known.add(job.jobId)
  return known
})
