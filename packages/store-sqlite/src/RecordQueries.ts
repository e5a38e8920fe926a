/**
 * Pages of everything that is kept beside jobs and events, each kind by its own cursor.
 */
import {
  type BreakerRow,
  type HostRow,
  type IntentRow,
  type LetterRow,
  type MarkerRow,
  type MessageRow,
  pageOf,
  type RecordRow,
  type RecordsQuery,
  type RetryRow
} from "@muster/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { hostColumns, hostRow } from "./Hosts.ts"
import { ask, type Connection } from "./Statements.ts"
import { codes, vocabulary } from "./Vocabulary.ts"

type Page = Effect.Effect<ReadonlyArray<RecordRow>, SqlError.SqlError>
type Pager = (connection: Connection, query: RecordsQuery) => Page

/** Where a kind lives: its columns, its table as t, and the column that is its cursor. */
interface Place {
  readonly columns: string
  readonly from: string
  readonly cursor: string
}

/** What an open record of a kind is (`RecordsQuery.open`); every record of the other kinds is open. */
const whileOpen: Partial<Record<RecordsQuery["kind"], string>> = {
  intents: "AND t.settled_at IS NULL",
  letters: "AND t.discarded_at IS NULL"
}

/** One statement for all jobs and one for a single job: each has its own index. */
const page =
  <Row extends object>({ columns, cursor, from }: Place, record: (row: Row) => RecordRow): Pager =>
  (connection, { after, job, kind, limit, open }) =>
    Effect.map(
      ask<Row>(
        connection,
        `SELECT ${columns} FROM ${from} WHERE ${cursor} > ? ${job === null ? "" : "AND t.job = ?"}
        ${open === true ? (whileOpen[kind] ?? "") : ""} ORDER BY ${cursor} LIMIT ?`,
        job === null ? [after, limit] : [after, job, limit]
      ),
      (rows) => rows.map(record)
    )

/** What the store says of itself comes as a whole, and is cut into pages here. */
const vocabularyPage: Pager = (connection, { after, limit }) =>
  Effect.map(vocabulary(connection), (rows) =>
    pageOf(rows, after, limit).map(({ cursor, row }) => ({ kind: "vocabulary", cursor, job: null, row }))
  )

const codesPage: Pager = (connection, { after, limit }) =>
  Effect.map(codes(connection), (rows) =>
    pageOf(rows, after, limit).map(({ cursor, row }) => ({ kind: "codes", cursor, job: null, row }))
  )

/** Hosts, banks, breakers and what the store says of itself belong to no job. */
const ofNoJob =
  (all: Pager): Pager =>
  (connection, query) =>
    query.job === null ? all(connection, query) : Effect.succeed([])

type Own = { readonly cursor: number; readonly job: number }
type Letter = LetterRow & { readonly replayed_by: number | null }
type Bank = { readonly host: number; readonly at: number; readonly bank: string }

const retries = page<RetryRow & Own>({ columns: "t.*", from: "retry t", cursor: "t.cursor" }, (row) => ({
  kind: "retries",
  cursor: row.cursor,
  job: row.job,
  row: {
    attempt: row.attempt,
    incarnation: row.incarnation,
    error_code: row.error_code,
    burned: row.burned,
    delay_ms: row.delay_ms,
    next_at: row.next_at,
    at: row.at,
    failure: row.failure
  }
}))

const letters = page<Letter & Own>(
  {
    columns: "t.*, o.superseded_by AS replayed_by",
    from: "letter t CROSS JOIN job_origin o ON o.seq = t.job",
    cursor: "t.cursor"
  },
  (row) => ({
    kind: "letters",
    cursor: row.cursor,
    job: row.job,
    row: {
      final_state: row.final_state,
      failure_error_code: row.failure_error_code,
      failure_summary: row.failure_summary,
      quarantined_at: row.quarantined_at,
      replay_eligible: row.replay_eligible,
      raw: row.raw,
      discarded_at: row.discarded_at,
      replayed_by: row.replayed_by
    }
  })
)

const markers = page<MarkerRow & Own>({ columns: "t.*", from: "marker t", cursor: "t.cursor" }, (row) => ({
  kind: "markers",
  cursor: row.cursor,
  job: row.job,
  row: { name: row.name, state: row.state, incarnation: row.incarnation, at: row.at, result: row.result }
}))

const intents = page<IntentRow>({ columns: "t.*", from: "intent t", cursor: "t.intent" }, (row) => ({
  kind: "intents",
  cursor: row.intent,
  job: row.job,
  row: {
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
  }
}))

const hosts = page<HostRow>({ columns: hostColumns, from: "host t", cursor: "t.host" }, (row) => ({
  kind: "hosts",
  cursor: row.host,
  job: null,
  row: hostRow(row)
}))

const banks = page<Bank>({ columns: "t.*", from: "bank t", cursor: "t.host" }, (row) => ({
  kind: "banks",
  cursor: row.host,
  job: null,
  row: { host: row.host, at: row.at, bank: row.bank }
}))

const breakers = page<BreakerRow & { readonly cursor: number }>(
  { columns: "t.*", from: "breaker t", cursor: "t.cursor" },
  ({ at, cursor, failures, opened_at, probe_at, state, workflow_type }) => ({
    kind: "breakers",
    cursor,
    job: null,
    row: { workflow_type, state, opened_at, probe_at, failures, at }
  })
)

const messages = page<MessageRow & { readonly cursor: number }>(
  { columns: "t.*", from: "message t", cursor: "t.cursor" },
  ({ at, consumer_agent, cursor, envelope, message_id, message_type, producer_agent, reason }) => ({
    kind: "messages",
    cursor,
    job: null,
    row: { message_id, producer_agent, consumer_agent, message_type, reason, at, envelope }
  })
)

const pagers: Record<RecordsQuery["kind"], Pager> = {
  retries,
  letters,
  markers,
  intents,
  hosts: ofNoJob(hosts),
  banks: ofNoJob(banks),
  breakers: ofNoJob(breakers),
  messages: ofNoJob(messages),
  vocabulary: ofNoJob(vocabularyPage),
  codes: ofNoJob(codesPage)
}

export const records: Pager = (connection, query) => pagers[query.kind](connection, query)
