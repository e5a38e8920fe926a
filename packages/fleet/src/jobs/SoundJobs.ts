/**
 * Rows by their numbers, without those that can't be decoded: one damaged row must not hide the others (R18).
 */
import type { StoredJob, StoreFailure, StoreService } from "@muster/core"
import { Effect } from "effect"

const query = (store: StoreService, seqs: ReadonlyArray<number>) =>
  store.jobs({ by: "seq", seqs, bodies: false })

/** Nothing where the row can't be decoded; other failures stay. */
const one = (store: StoreService, seq: number): Effect.Effect<ReadonlyArray<StoredJob>, StoreFailure> =>
  Effect.catchTag(query(store, [seq]), "ORCH_STORE_BROKEN", (error) =>
    error.operation === "decode" ? Effect.succeed([]) : Effect.fail(error)
  )

/** One query, and where that meets a damaged row, one a row. */
export const soundJobs = (
  store: StoreService,
  seqs: ReadonlyArray<number>
): Effect.Effect<ReadonlyArray<StoredJob>, StoreFailure> =>
  Effect.catchTag(query(store, seqs), "ORCH_STORE_BROKEN", (error) =>
    error.operation === "decode"
      ? Effect.map(
          Effect.forEach(seqs, (seq) => one(store, seq)),
          (found) => found.flat()
        )
      : Effect.fail(error)
  )
