/**
 * How the fleet of a store stands, with nothing but the store: for hosts that are asked over their socket, and for command lines alike. Counts
 * are the store's own: it costs the same at any size.
 */
import {
  type BreakerRow,
  type HostRow,
  type IntentRow,
  type StoreFailure,
  type StoreService,
  type TallyRows,
  usedSlots
} from "@muster/core"
import { Effect } from "effect"
import * as Operations from "./Operations.ts"

/** A list that is short by nature, whole. */
const short = { job: null, after: 0, limit: 1_000 } as const

export interface StandingRows {
  readonly tally: TallyRows
  /** Those whose epoch is not over, with their agents that are alive. */
  readonly hosts: ReadonlyArray<{ readonly row: HostRow; readonly usedSlots: number }>
  /** What operators want and nobody has settled, in order of arrival. */
  readonly open: ReadonlyArray<IntentRow>
  readonly breakers: ReadonlyArray<BreakerRow>
  /** The last snapshot of each host. */
  readonly banks: ReadonlyArray<{ readonly host: number; readonly at: number; readonly bank: string }>
}

/** These hosts, each with its agents that are alive. */
export const withSlots = (store: StoreService, hosts: ReadonlyArray<HostRow>) =>
  Effect.forEach(hosts, (row) =>
    Effect.map(store.agents({ by: "owner", host: row.host, epoch: row.epoch }), (owned) => ({
      row,
      usedSlots: usedSlots(new Map(owned.map((job) => [job.seq, job])))
    }))
  )

/** @param now epoch ms, by which jobs are due */
export const read = Effect.fn("Standing.read")(function* (
  store: StoreService,
  now: number
): Effect.fn.Return<StandingRows, StoreFailure> {
  return {
    tally: yield* store.tally(now),
    hosts: yield* withSlots(store, yield* Operations.liveHosts(store)),
    open: yield* Operations.openIntents(store),
    breakers: (yield* store.records({ kind: "breakers", ...short })).map(({ row }) => row),
    banks: (yield* store.records({ kind: "banks", ...short })).map(({ row }) => row)
  }
})
