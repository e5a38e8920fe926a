/**
 * Reading a long list of the store page by page, so that no list has to fit into memory or into one query.
 */
import { Effect } from "effect"
import type { StoreFailure } from "./StoreDriver.ts"

/** Rows of one query. */
const pageSize = 500

/** Visits every row, a page at a time. */
export const eachRow = Effect.fnUntraced(function* <Row, E, R>(
  query: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  cursor: (row: Row) => number,
  visit: (row: Row) => void
) {
  for (let after = 0; ;) {
    const rows = yield* query(after, pageSize)
    for (const row of rows) visit(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    after = cursor(last)
  }
})

/** Every row of a list that is known to be short. */
export const allRows = Effect.fnUntraced(function* <Row, E, R>(
  query: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  cursor: (row: Row) => number
) {
  const all: Array<Row> = []
  yield* eachRow(query, cursor, (row) => all.push(row))
  return all
})

/** Null where a row can't be decoded; other failures stay. */
export const readable = <A, R>(
  read: Effect.Effect<A, StoreFailure, R>
): Effect.Effect<A | null, StoreFailure, R> =>
  Effect.catchTag(read, "ORCH_STORE_BROKEN", (error) =>
    error.operation === "decode" ? Effect.succeed(null) : Effect.fail(error)
  )
