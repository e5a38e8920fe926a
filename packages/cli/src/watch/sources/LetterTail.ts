/**
 * The newest dead letters. The store pages letters from the oldest on, so the tail is walked to once, and afterwards only read again from
 * where it begins.
 */
import { type Job, jobId, type LetterRow, Store } from "@muster/core"
import { Effect } from "effect"
import type { LetterLook } from "../FleetLook.ts"

/** Letters that are shown. */
const shown = 100
const pageSize = 1_000

interface Found {
  readonly cursor: number
  readonly job: number
  readonly row: LetterRow & { readonly replayed_by: number | null }
}

/** Reads the newest letters, the newest first. `count`: how many there are, as the store's tally says; of none, nothing is read. */
export const letterTail = Effect.gen(function* () {
  const store = yield* Store
  let after = 0
  const workflows = new Map<number, string>()

  const nameThem = Effect.fnUntraced(function* (seqs: ReadonlyArray<number>) {
    const unknown = seqs.filter((seq) => !workflows.has(seq))
    if (unknown.length === 0) return
    for (const { job } of yield* store.jobs({ by: "seq", seqs: unknown, bodies: false })) name(job)
    for (const seq of workflows.keys()) if (!seqs.includes(seq)) workflows.delete(seq)
  })
  const name = ({ seq, workflowType }: Job): void => {
    workflows.set(seq, workflowType)
  }

  return Effect.fnUntraced(function* (count: number) {
    if (count === 0) return []
    let tail: ReadonlyArray<Found> = []
    for (let from = after; ;) {
      const page = yield* store.records({
        kind: "letters",
        job: null,
        after: from,
        limit: pageSize,
        open: true
      })
      tail = [...tail, ...page].slice(-shown)
      const last = page.at(-1)
      if (last === undefined || page.length < pageSize) break
      from = last.cursor
      // a long walk lets others go first
      yield* Effect.yieldNow
    }
    after = (tail[0]?.cursor ?? after + 1) - 1
    yield* nameThem(tail.map(({ job }) => job))
    return tail.toReversed().map(({ job, row }): LetterLook => ({
      jobId: jobId(store.id, job),
      workflow: workflows.get(job) ?? "",
      code: row.failure_error_code,
      summary: row.failure_summary,
      at: row.quarantined_at,
      eligible: row.replay_eligible !== 0,
      replayed: row.replayed_by !== null
    }))
  })
})
