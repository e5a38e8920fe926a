/**
 * Many rows in few statements: a list of rows is cut into sizes that are powers of two, so that a few texts serve every length and the
 * client's cache of prepared statements stays warm (measured: a statement a row through SqlClient is several times dearer).
 */
import { Effect } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"

/** The one connection of a store. Whoever runs a statement on it holds it: see `SqliteStore.ts`. */
export type Connection = SqlConnection.Connection

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

/** Runs a statement; its rows as objects, typed by the columns that its text names. STRICT tables keep their types. */
export const ask = <Row extends object>(
  connection: Connection,
  text: string,
  values: ReadonlyArray<Value> = []
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> => connection.execute(text, values, undefined)

/**
 * As `ask`, with rows as arrays, in the order of the columns: for many or wide ones. The driver's row objects are dictionaries, and
 * reading the thirty columns of a job out of one takes longer than finding it (measured).
 */
export const askRows = <Row extends ReadonlyArray<unknown>>(
  connection: Connection,
  text: string,
  values: ReadonlyArray<Value>
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  // The text and the type stand side by side where this is called.
  connection.executeValues(text, values) as Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** Runs a bulk statement over the rows that lie flat in `values`. */
export const write = (
  connection: Connection,
  statement: Bulk,
  values: ReadonlyArray<Value>
): Effect.Effect<void, SqlError.SqlError> =>
  values.length === 0
    ? Effect.void
    : Effect.forEach(steps(statement, values), (step) => ask(connection, step.text, step.values), {
        discard: true
      })

const answers = <Row>(
  statement: Bulk,
  values: ReadonlyArray<Value>,
  ofStep: (step: Step) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  values.length === 0
    ? Effect.succeed([])
    : Effect.map(Effect.forEach(steps(statement, values), ofStep), (pages) => pages.flat())

/** As `write`, with the rows that the statements answer. */
export const read = <Row extends object>(
  connection: Connection,
  statement: Bulk,
  values: ReadonlyArray<Value>
) => answers(statement, values, (step) => ask<Row>(connection, step.text, step.values))

/** As `read`, with rows as arrays: see `askRows`. */
export const readRows = <Row extends ReadonlyArray<unknown>>(
  connection: Connection,
  statement: Bulk,
  values: ReadonlyArray<Value>
) => answers(statement, values, (step) => askRows<Row>(connection, step.text, step.values))

/** Columns as an SQL list. */
export const list = (columns: ReadonlyArray<string>): string => columns.join(", ")
