/**
 * The storm breakers that hold jobs back.
 */
import { type BreakerRow, Store } from "@muster/core"
import * as Effect from "effect/Effect"
import { allRows } from "./Pages.ts"

/** Those of them that are not closed, in the order of their workflows' names. */
export const openOf = (rows: ReadonlyArray<BreakerRow>): ReadonlyArray<BreakerRow> =>
  rows
    .filter(({ state }) => state !== "closed")
    .toSorted((a, b) => (a.workflow_type < b.workflow_type ? -1 : 1))

/** Those that are not closed, in the order of their workflows' names. */
export const openBreakers = Effect.gen(function* () {
  const store = yield* Store
  const records = yield* allRows(
    (after, limit) => store.records({ kind: "breakers", job: null, after, limit }),
    ({ cursor }) => cursor
  )
  return openOf(records.map(({ row }) => row))
})
