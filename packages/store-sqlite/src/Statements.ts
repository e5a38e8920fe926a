/**
 * Many rows in few statements: a list of rows is cut into sizes that are powers of two, so that a few texts serve every length and the
 * client's cache of prepared statements stays warm (measured: a statement a row through SqlClient is several times dearer).
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

export type Value = string | number | null

/** A statement with a list of rows in it, each of `width` values: the text for every size of list. */
export interface Bulk {
  readonly width: number
  readonly text: (rows: number) => string
}

const sizes = [256, 128, 64, 32, 16, 8, 4, 2, 1] as const

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

const answers = <Row>(
  statement: Bulk,
  values: ReadonlyArray<Value>,
  ask: (step: Step) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  values.length === 0
    ? Effect.succeed([])
    : Effect.map(Effect.forEach(steps(statement, values), ask), (pages) => pages.flat())

/** As `write`, with the rows that the statements answer. */
export const read = <Row extends object>(
  sql: SqlClient.SqlClient,
  statement: Bulk,
  values: ReadonlyArray<Value>
) => answers(statement, values, (step) => sql.unsafe<Row>(step.text, step.values))

/** As `read`, for many or wide rows: see `rowsOf`. */
export const readRows = <Row extends ReadonlyArray<unknown>>(
  sql: SqlClient.SqlClient,
  statement: Bulk,
  values: ReadonlyArray<Value>
) => answers(statement, values, (step) => rowsOf<Row>(sql, step.text, step.values))

/**
 * The rows of a wide query as arrays, typed by the columns that its text names. The driver's row objects are dictionaries, and reading
 * the thirty columns of a job out of one takes longer than finding it (measured).
 */
export const rowsOf = <Row extends ReadonlyArray<unknown>>(
  sql: SqlClient.SqlClient,
  text: string,
  values: ReadonlyArray<Value>
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  // The text and the type stand side by side where this is called; SQLite's STRICT tables keep the types of the columns.
  sql.unsafe(text, values).values as Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** Columns as an SQL list. */
export const list = (columns: ReadonlyArray<string>): string => columns.join(", ")

/** A transaction that takes the write lock at once: it can't lose it half way to a writer that was faster. */
export const transaction = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.provideService(sql.withTransaction(effect), SqlClient.BeginTransaction, "BEGIN IMMEDIATE")
