/**
 * Reading one job for its audit. What looks wrong is read again as a whole, between two equal looks at the row: a job that a host moves
 * meanwhile is never told half old and half new.
 */
import { Effect } from "effect"
import type { Dossier, Linked } from "../domain/audit/Dossier.ts"
import type { HostRegister } from "../domain/audit/HostRegister.ts"
import { JobAudit, type JobVerdict } from "../domain/audit/JobAudit.ts"
import type { Catalogue } from "../domain/ErrorCatalogue.ts"
import { Store, type StoredJob } from "./Store.ts"
import type { Census } from "./StoreAuditCensus.ts"
import { readHosts } from "./StoreAuditHosts.ts"
import { draftOf, entryOf, markerOf } from "./StoreAuditRows.ts"
import type { StoreFailure } from "./StoreDriver.ts"
import { allRows, eachRow, readable } from "./StorePages.ts"

/** Looks at a job that doesn't stand still. */
const tries = 5

const isSame = (one: StoredJob, other: StoredJob): boolean =>
  one.job.version === other.job.version && one.job.supersededBy === other.job.supersededBy

export const makeExaminer = Effect.fnUntraced(function* (catalogue: Catalogue, census: Census) {
  const store = yield* Store
  let known = yield* readHosts

  const row = Effect.fnUntraced(function* (seq: number, bodies = false) {
    const found = yield* readable(store.jobs({ by: "seq", seqs: [seq], bodies }))
    return found?.[0] ?? null
  })

  const linked = Effect.fnUntraced(function* (seq: number | null) {
    const found = seq === null ? null : yield* row(seq)
    return found === null ? null : (found.job satisfies Linked)
  })

  /** @param isWhole also reads what the census says isn't there */
  const read = Effect.fnUntraced(function* (
    { job, payload, result }: StoredJob,
    isWhole: boolean,
    hostsNow: Effect.Effect<HostRegister, StoreFailure, Store>
  ) {
    const { seq } = job
    const audit = new JobAudit(job, catalogue, census.bound)
    if (isWhole || census.retries.of(seq) > 0)
      yield* eachRow(
        (after, limit) => store.records({ kind: "retries", job: seq, after, limit }),
        ({ cursor }) => cursor,
        (retry) => audit.addRetry(entryOf(retry.row))
      )
    yield* eachRow(
      (after, limit) => store.events({ job: seq, after, limit, order: "ascending" }),
      ({ sequence }) => sequence,
      (event) => audit.addEvent(event)
    )
    const letters =
      isWhole || census.letters.of(seq) > 0
        ? yield* store.records({ kind: "letters", job: seq, after: 0, limit: 1 })
        : []
    const markers =
      isWhole || census.markers.of(seq) > 0
        ? yield* allRows(
            (after, limit) => store.records({ kind: "markers", job: seq, after, limit }),
            ({ cursor }) => cursor
          )
        : []
    const { idempotencyKey: idempotency_key, workflowType: workflow_type } = job
    const holders = yield* readable(store.jobs({ by: "key", workflow_type, idempotency_key }))
    const dossier: Dossier = {
      job,
      payload,
      result,
      letter: letters[0] === undefined ? null : draftOf(letters[0].row),
      markers: markers.map((marker) => markerOf(marker.row)),
      original: yield* linked(job.replayOf),
      successor: yield* linked(job.supersededBy),
      // A holder that can't be decoded is told by itself.
      keyHolder: holders === null ? seq : (holders[0]?.job.seq ?? null)
    }
    // Last, since an owner that has enlisted meanwhile must be known.
    return audit.conclude(dossier, yield* hostsNow, census.of(seq))
  })

  const freshHosts = Effect.tap(readHosts, (hosts) =>
    Effect.sync(() => {
      known = hosts
    })
  )

  /** Null for a job that is gone. */
  const settle = Effect.fnUntraced(function* (seq: number) {
    for (let tried = 0; tried < tries; tried++) {
      const before = yield* row(seq, true)
      if (before === null) return null
      const verdict = yield* read(before, true, freshHosts)
      const after = yield* row(seq)
      if (after === null) return null
      if (verdict.findings.length === 0 || isSame(before, after)) return verdict
    }
    return "unsettled" as const
  })

  /** The verdict on a job; null for one that is gone. */
  const examine = Effect.fnUntraced(function* (
    stored: StoredJob
  ): Effect.fn.Return<JobVerdict | "unsettled" | null, StoreFailure, Store> {
    const verdict = yield* read(
      stored,
      false,
      Effect.sync(() => known)
    )
    return verdict.findings.length === 0 ? verdict : yield* settle(stored.job.seq)
  })

  return { examine }
})
