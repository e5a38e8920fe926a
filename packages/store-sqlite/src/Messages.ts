/**
 * Messages that nobody has taken: the newest are kept, all are counted.
 */
import { type CommitRows, limits } from "@muster/core"
import { Effect } from "effect"
import { ask, bulk, write, type Connection } from "./Statements.ts"

const writeRows = bulk(
  `INSERT INTO message (message_id, producer_agent, consumer_agent, message_type, reason, at, envelope) VALUES`,
  7
)

/** Runs inside a transaction. */
export const writeMessages = Effect.fnUntraced(function* (
  connection: Connection,
  { count, rows }: NonNullable<CommitRows["undelivered"]>
) {
  yield* write(
    connection,
    writeRows,
    rows.flatMap((row) => [
      row.message_id,
      row.producer_agent,
      row.consumer_agent,
      row.message_type,
      row.reason,
      row.at,
      row.envelope
    ])
  )
  yield* ask(connection, `DELETE FROM message WHERE cursor <= (SELECT max(cursor) FROM message) - ?`, [
    limits.deadMessages
  ])
  yield* ask(connection, `UPDATE store SET messages = messages + ?`, [count])
})
