/**
 * Reading jobs: the peek at ready ones, rows by number, the row of a key, pages.
 */
import type { JobsQuery, JobsRows, JobWithBodiesRow } from "@muster/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { jobColumns, jobRow, joinState, type SelectedJob } from "./JobColumns.ts"
import { peek } from "./Peek.ts"
import type { RowsInHand } from "./RowsInHand.ts"
import { failed, live } from "./schema/Version1.ts"
import { ask, askRows, bulk, readRows, type Connection } from "./Statements.ts"
import { jobStates, numbersOf } from "./Words.ts"

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
export const jobsBySeq = (connection: Connection, seqs: ReadonlyArray<number>, bodies = false): Rows =>
  Effect.map(readRows<SelectedJob>(connection, bodies ? findRowsWithBodies : findRows, seqs), (rows) =>
    rows.map(jobRow)
  )

const jobByKey = (connection: Connection, workflow: string, key: string): Rows =>
  Effect.map(
    askRows<SelectedJob>(
      connection,
      `SELECT ${jobColumns} FROM job_origin o ${joinState}
      WHERE o.workflow = (SELECT workflow FROM workflow WHERE name = ?) AND o.idempotency_key = ? AND o.superseded_by IS NULL`,
      [workflow, key]
    ),
    (rows) => rows.map(jobRow)
  )

/** How the jobs of a state are found without walking all jobs: in which indexes, and which states' jobs fill those. */
interface Place {
  readonly indexes: ReadonlyArray<string>
  readonly shared: ReadonlyArray<string>
}

const inWork = { indexes: [`(${live("")})`], shared: ["VALIDATING", "PROCESSING", "RETRY_SCHEDULED"] }
const waiting = {
  indexes: ["queue = 0", "queue = 1", `(${live("")})`],
  shared: ["PENDING", ...inWork.shared]
}
const ended = (state: string) => ({ indexes: [`state IN ${failed}`], shared: [state] })

/** COMPLETED has none: most jobs are in it, and an index over it costs a fifth of a turn. */
const places: Record<string, Place> = {
  PENDING: waiting,
  RETRY_SCHEDULED: waiting,
  VALIDATING: inWork,
  PROCESSING: inWork,
  FAILED: ended("FAILED"),
  DEAD_LETTERED: ended("DEAD_LETTERED"),
  CANCELLED: ended("CANCELLED")
}

/** Up to so many jobs in those indexes are read and sorted for a page; of more, enough are met by walking. */
const few = 10_000

const jobsPage = Effect.fnUntraced(function* (
  connection: Connection,
  { after, limit, state, workflow }: Extract<JobsQuery, { readonly by: "page" }>
) {
  const number = jobStates.number(state)
  const place = state === null ? undefined : places[state]
  const [sharing] =
    place === undefined
      ? []
      : yield* ask<{ readonly count: number }>(
          connection,
          `SELECT coalesce(sum(count), 0) AS count FROM tally WHERE state IN ${numbersOf(jobStates, place.shared)}`
        )
  const sought = place !== undefined && sharing !== undefined && sharing.count <= few ? place.indexes : []
  const seqs = sought.map((held) => `SELECT seq FROM job_state WHERE ${held} AND state = ${number}`)
  const rows = yield* askRows<SelectedJob>(
    connection,
    `SELECT ${jobColumns} FROM ${seqs.length === 0 ? "job_origin o" : `(${seqs.join(" UNION ")}) found CROSS JOIN job_origin o ON o.seq = found.seq`}
    ${joinState} WHERE o.seq > ? ${number === null ? "" : `AND s.state = ${number}`} ${workflow === null ? "" : "AND w.name = ?"}
    ORDER BY o.seq LIMIT ?`,
    [after, ...(workflow === null ? [] : [workflow]), limit]
  )
  return rows.map(jobRow)
})

export const jobs = (
  connection: Connection,
  inHand: RowsInHand,
  query: JobsQuery
): Effect.Effect<JobsRows, SqlError.SqlError> => {
  if (query.by === "ready") return peek(connection, inHand, query)
  const rows =
    query.by === "seq"
      ? jobsBySeq(connection, query.seqs, query.bodies)
      : query.by === "key"
        ? jobByKey(connection, query.workflow_type, query.idempotency_key)
        : jobsPage(connection, query)
  return Effect.map(rows, (found) => ({ rows: found, next_due: null }))
}
