/**
 * Reading jobs: the peek at ready ones, rows by number, the row of a key, pages.
 */
import type { JobsQuery, JobsRows, JobWithBodiesRow } from "@muster/core"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { jobColumns, jobRow, joinState, type SelectedJob } from "./JobColumns.ts"
import { peek } from "./Peek.ts"
import type { RowsInHand } from "./RowsInHand.ts"
import { bulk, readRows, rowsOf } from "./Statements.ts"
import { jobStates } from "./Words.ts"

type Rows = Effect.Effect<ReadonlyArray<JobWithBodiesRow>, SqlError.SqlError>

const findRows = bulk(
  `SELECT ${jobColumns} FROM (VALUES`,
  1,
  `) wanted CROSS JOIN job_origin o ON o.seq = wanted.column1 ${joinState}`
)

const findRowsWithBodies = bulk(
  `SELECT ${jobColumns}, o.payload, e.result FROM (VALUES`,
  1,
  `) wanted CROSS JOIN job_origin o ON o.seq = wanted.column1 ${joinState} LEFT JOIN job_end e ON e.ending = s.ending`
)

/** The rows with these numbers, in this order; unknown numbers are absent. */
export const jobsBySeq = (sql: SqlClient.SqlClient, seqs: ReadonlyArray<number>, bodies = false): Rows =>
  Effect.map(readRows<SelectedJob>(sql, bodies ? findRowsWithBodies : findRows, seqs), (rows) =>
    rows.map(jobRow)
  )

const jobByKey = (sql: SqlClient.SqlClient, workflow: string, key: string): Rows =>
  Effect.map(
    rowsOf<SelectedJob>(
      sql,
      `SELECT ${jobColumns} FROM job_origin o ${joinState}
      WHERE o.workflow = (SELECT workflow FROM workflow WHERE name = ?) AND o.idempotency_key = ? AND o.superseded_by IS NULL`,
      [workflow, key]
    ),
    (rows) => rows.map(jobRow)
  )

const jobsPage = (
  sql: SqlClient.SqlClient,
  { after, limit, state, workflow }: Extract<JobsQuery, { readonly by: "page" }>
): Rows =>
  Effect.map(
    rowsOf<SelectedJob>(
      sql,
      `SELECT ${jobColumns} FROM job_origin o ${joinState}
      WHERE o.seq > ? ${state === null ? "" : "AND s.state = ?"} ${workflow === null ? "" : "AND w.name = ?"}
      ORDER BY o.seq LIMIT ?`,
      [
        after,
        ...(state === null ? [] : [jobStates.number(state)]),
        ...(workflow === null ? [] : [workflow]),
        limit
      ]
    ),
    (rows) => rows.map(jobRow)
  )

export const jobs = (
  sql: SqlClient.SqlClient,
  inHand: RowsInHand,
  query: JobsQuery
): Effect.Effect<JobsRows, SqlError.SqlError> => {
  if (query.by === "ready") return peek(sql, inHand, query)
  const rows =
    query.by === "seq"
      ? jobsBySeq(sql, query.seqs, query.bodies)
      : query.by === "key"
        ? jobByKey(sql, query.workflow_type, query.idempotency_key)
        : jobsPage(sql, query)
  return Effect.map(rows, (found) => ({ rows: found, next_due: null }))
}
