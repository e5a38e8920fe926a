/**
 * Reading a long list from the store page by page, so that no list has to fit into memory or into one query.
 */
import * as Effect from "effect/Effect"
import { isListening } from "../output/Listener.ts"

/** Rows of one query. */
export const pageSize = 1_000

interface Read {
  /** Rows that were visited. */
  readonly count: number
  /** Where the next page would start. */
  readonly after: number
  /** The limit was reached; there may be more. */
  readonly cut: boolean
}

/**
 * Visits pages until the list or the limit ends.
 *
 * @param limit null for all rows
 */
export const eachPage = Effect.fnUntraced(function* <Row, E, R, E2, R2>(
  query: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  cursor: (row: Row) => number,
  from: { readonly after: number; readonly limit: number | null },
  visit: (rows: ReadonlyArray<Row>, isFirst: boolean) => Effect.Effect<void, E2, R2>
) {
  let after = from.after
  let count = 0
  const limit = from.limit ?? Number.POSITIVE_INFINITY
  while (count < limit && (yield* isListening)) {
    const size = Math.min(pageSize, limit - count)
    const rows = yield* query(after, size)
    if (rows.length > 0 || count === 0) yield* visit(rows, count === 0)
    const last = rows.at(-1)
    count += rows.length
    if (last !== undefined) after = cursor(last)
    if (rows.length < size) {
      const read: Read = { count, after, cut: false }
      return read
    }
  }
  const read: Read = { count, after, cut: true }
  return read
})

/** All rows of a list that is known to be short. */
export const allRows = Effect.fnUntraced(function* <Row, E, R>(
  query: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  cursor: (row: Row) => number
) {
  const all: Array<Row> = []
  yield* eachPage(query, cursor, { after: 0, limit: null }, (rows) => Effect.sync(() => all.push(...rows)))
  return all
})
