/**
 * Many rows in few statements. A statement with 128 rows costs little more than one with a single row, and four sizes keep the client's
 * cache of prepared statements warm (measured: a statement a row through SqlClient is ten times dearer).
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export type Value = string | number | null

/** A statement with a list of rows in it, each of `width` values: the text for every size of list. */
export interface Bulk {
  readonly width: number
  readonly text: (rows: number) => string
}

const sizes = [128, 32, 8, 1] as const

/** `head` and `tail` stand around the list: `(?, ?), (?, ?)`. */
export const bulk = (head: string, width: number, tail = ""): Bulk => {
  const row = `(${Array.from({ length: width }, () => "?").join(", ")})`
  const texts = new Map<number, string>(
    sizes.map((rows) => [rows, `${head} ${Array.from({ length: rows }, () => row).join(", ")} ${tail}`])
  )
  return { width, text: (rows) => texts.get(rows) ?? "" }
}

interface Step {
  readonly text: string
  readonly values: ReadonlyArray<Value>
}

/** The rows, flat in `values`, cut into statements. */
const steps = ({ text, width }: Bulk, values: ReadonlyArray<Value>): ReadonlyArray<Step> => {
  const found: Array<Step> = []
  let at = 0
  for (const rows of sizes) {
    const length = rows * width
    while (values.length - at >= length) {
      const whole = at === 0 && values.length === length
      found.push({ text: text(rows), values: whole ? values : values.slice(at, at + length) })
      at += length
    }
  }
  return found
}

/** Runs a bulk statement over the rows that lie flat in `values`. */
export const write = (
  sql: SqlClient.SqlClient,
  statement: Bulk,
  values: ReadonlyArray<Value>
): Effect.Effect<void, SqlError.SqlError> =>
  values.length === 0
    ? Effect.void
    : Effect.forEach(steps(statement, values), (step) => sql.unsafe(step.text, step.values), {
        discard: true
      })

/** As `write`, with what the statements answer. */
export const read = <Row extends object>(
  sql: SqlClient.SqlClient,
  statement: Bulk,
  values: ReadonlyArray<Value>
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> => {
  if (values.length === 0) return Effect.succeed([])
  const [first, ...rest] = steps(statement, values)
  if (first !== undefined && rest.length === 0) return sql.unsafe<Row>(first.text, first.values)
  return Effect.map(
    Effect.forEach(steps(statement, values), (step) => sql.unsafe<Row>(step.text, step.values)),
    (pages) => pages.flat()
  )
}

/** Columns as an SQL list. */
export const list = (columns: ReadonlyArray<string>): string => columns.join(", ")
