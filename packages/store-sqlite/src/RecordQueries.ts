/**
 * Pages of everything that is kept beside jobs and events, each by its own cursor.
 */
import type {
  HostRow,
  IntentRow,
  LetterRow,
  MarkerRow,
  RecordRow,
  RecordsQuery,
  RetryRow
} from "@muster/core"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { hostColumns, hostRow } from "./Hosts.ts"

type Cursor = { readonly cursor: number; readonly job: number }
type Letter = LetterRow & { readonly replayed_by: number | null }
type Bank = { readonly host: number; readonly at: number; readonly bank: string }
type Page = Effect.Effect<ReadonlyArray<RecordRow>, SqlError.SqlError>

/** Hosts and banks belong to no job. */
const ofNoJob: Page = Effect.succeed([])

export const records = (sql: SqlClient.SqlClient, { after, job, kind, limit, open }: RecordsQuery): Page => {
  /** One statement for all jobs and one for a single job: each has its own index. */
  const page = <Row extends object>(columns: string, from: string, key: string, more = "") =>
    job === null
      ? sql.unsafe<Row>(`SELECT ${columns} FROM ${from} WHERE ${key} > ? ${more} ORDER BY ${key} LIMIT ?`, [
          after,
          limit
        ])
      : sql.unsafe<Row>(
          `SELECT ${columns} FROM ${from} WHERE t.job = ? AND ${key} > ? ${more} ORDER BY ${key} LIMIT ?`,
          [job, after, limit]
        )
  switch (kind) {
    case "retries":
      return Effect.map(page<RetryRow & Cursor>("t.*", "retry t", "t.cursor"), (rows) =>
        rows.map(
          ({
            at,
            attempt,
            burned,
            cursor,
            delay_ms,
            error_code,
            failure,
            incarnation,
            job: seq,
            next_at
          }) => ({
            kind,
            cursor,
            job: seq,
            row: { attempt, incarnation, error_code, burned, delay_ms, next_at, at, failure }
          })
        )
      )
    case "letters":
      return Effect.map(
        page<Letter & Cursor>(
          "t.*, o.superseded_by AS replayed_by",
          "letter t JOIN job_origin o ON o.seq = t.job",
          "t.cursor"
        ),
        (rows) =>
          rows.map(({ cursor, job: seq, ...row }) => ({
            kind,
            cursor,
            job: seq,
            row: {
              final_state: row.final_state,
              failure_error_code: row.failure_error_code,
              failure_summary: row.failure_summary,
              quarantined_at: row.quarantined_at,
              replay_eligible: row.replay_eligible,
              raw: row.raw,
              replayed_by: row.replayed_by
            }
          }))
      )
    case "markers":
      return Effect.map(page<MarkerRow & Cursor>("t.*", "marker t", "t.cursor"), (rows) =>
        rows.map(({ at, cursor, incarnation, job: seq, name, result, state }) => ({
          kind,
          cursor,
          job: seq,
          row: { name, state, incarnation, at, result }
        }))
      )
    case "intents":
      return Effect.map(
        page<IntentRow>("t.*", "intent t", "t.intent", open === true ? "AND t.settled_at IS NULL" : ""),
        (rows) => rows.map((row) => ({ kind, cursor: row.intent, job: row.job, row: intentRow(row) }))
      )
    case "hosts":
      return job !== null
        ? ofNoJob
        : Effect.map(page<HostRow>(hostColumns, "host t", "t.host"), (rows) =>
            rows.map((row) => ({ kind, cursor: row.host, job: null, row: hostRow(row) }))
          )
    case "banks":
      return job !== null
        ? ofNoJob
        : Effect.map(page<Bank>("t.*", "bank t", "t.host"), (rows) =>
            rows.map(({ at, bank, host }) => ({ kind, cursor: host, job: null, row: { host, at, bank } }))
          )
  }
}

const intentRow = (row: IntentRow): IntentRow => ({
  intent: row.intent,
  kind: row.kind,
  job: row.job,
  host: row.host,
  value: row.value,
  reason: row.reason,
  actor: row.actor,
  requested_at: row.requested_at,
  request_id: row.request_id,
  settled_at: row.settled_at,
  outcome: row.outcome
})
