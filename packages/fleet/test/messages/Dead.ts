// What tests of messages ask the store.
import type { StoreService } from "@muster/core"
import { Effect } from "effect"

/** Enough turns of the scheduler for a loop's passes and what they start. */
export const settled = Effect.gen(function* () {
  for (let turn = 0; turn < 60; turn++) yield* Effect.yieldNow
})

/** Type and reason of each undeliverable message that the store has, in order. */
export const deadOf = (store: StoreService) =>
  Effect.map(store.records({ kind: "messages", job: null, after: 0, limit: 2_000 }), (records) =>
    records.map(({ row }) => [row.message_type, row.reason])
  )
