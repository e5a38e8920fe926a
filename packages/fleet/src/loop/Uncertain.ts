/**
 * A commit whose answer was lost: it broke, and may have taken effect all the same. The host's turn tells whether it has (R10); if so, its
 * answers are read back from the store, and nothing is done twice.
 */
import {
  type Committed,
  type Draft,
  encodeState,
  type Inserted,
  type NewJob,
  type StoreService
} from "@muster/core"
import { Effect } from "effect"

/** What of a unit its answer speaks of. */
export interface Asked {
  /** Epoch ms. */
  readonly at: number
  readonly inserts: ReadonlyArray<NewJob>
  readonly changes: ReadonlyArray<Draft.Change>
}

const pageSize = 500

/** Contested changes whose row is not what they would have made of it: another host has won them. */
const lostOf = Effect.fnUntraced(function* (store: StoreService, changes: ReadonlyArray<Draft.Change>) {
  const lost = new Set<number>()
  const contested = changes.filter((change) => change.contested)
  for (let from = 0; from < contested.length; from += pageSize) {
    const some = contested.slice(from, from + pageSize)
    const rows = yield* store.jobs({ by: "seq", seqs: some.map(({ job }) => job.seq), bodies: false })
    const found = new Map(rows.map(({ job }) => [job.seq, job]))
    for (const { job } of some) {
      const row = found.get(job.seq)
      const same = row !== undefined && JSON.stringify(encodeState(row)) === JSON.stringify(encodeState(job))
      if (!same) lost.add(job.seq)
    }
  }
  return lost
})

/** What became of one insert: whose row the key answers with tells whether it is the new one. */
const insertedOf = Effect.fnUntraced(function* (
  store: StoreService,
  { idempotencyKey, payloadFingerprint, workflowType }: NewJob,
  at: number,
  earlier: ReadonlySet<number>
) {
  const [found] = yield* store.jobs({
    by: "key",
    workflow_type: workflowType,
    idempotency_key: idempotencyKey
  })
  if (found === undefined)
    return yield* Effect.die(`the key "${idempotencyKey}" was inserted and is not there`)
  const { createdAt, jobId, payloadFingerprint: stored, runAt, seq, state } = found.job
  const same = stored === payloadFingerprint
  const inserted: Inserted =
    same && createdAt === at && !earlier.has(seq)
      ? { _tag: "Inserted", seq, jobId }
      : { _tag: same ? "Duplicate" : "Conflict", seq, jobId, state, runAt }
  return inserted
})

/** The answer of a unit that is known to have happened, as its commit would have given it. */
export const readBack = Effect.fnUntraced(function* (store: StoreService, { at, changes, inserts }: Asked) {
  const inserted: Array<Inserted> = []
  const seqs = new Set<number>()
  for (const job of inserts) {
    const one = yield* insertedOf(store, job, at, seqs)
    inserted.push(one)
    seqs.add(one.seq)
  }
  const { sequence } = yield* store.tally(at)
  const committed: Committed = { inserted, lost: yield* lostOf(store, changes), intents: [], sequence }
  return committed
})
