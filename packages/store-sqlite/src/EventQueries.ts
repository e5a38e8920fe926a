/**
 * Reading events: all of them in their order, or one job's by walking its chain back from the latest.
 */
import type { EventRow, EventsQuery } from "@muster/core"
import { Effect } from "effect"
import { ownAgent } from "./Names.ts"
import { ask, type Connection } from "./Statements.ts"

const columns = `e.sequence, e.job, m.subject_kind, m.event, m.from_state, m.to_state, m.reason AS transition_reason, e.error_code,
  CASE e.actor WHEN ${ownAgent} THEN 'agent:' || (SELECT id FROM store) || '-' || e.job ELSE a.name END AS actor,
  e.occurred_at, e.incarnation, e.detail, o.correlation_id`

const joins = `CROSS JOIN move m ON m.move = e.move
  LEFT JOIN actor a ON a.actor = e.actor LEFT JOIN job_origin o ON o.seq = e.job`

/** From the newest link down to the first that is not after `?`. */
const chain = `WITH RECURSIVE link (sequence, previous) AS (
    SELECT sequence, previous FROM event WHERE sequence = (
      SELECT s.last_event FROM job_origin o CROSS JOIN job_state s
        ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq WHERE o.seq = ?)
    UNION ALL
    SELECT e.sequence, e.previous FROM link CROSS JOIN event e ON e.sequence = link.previous WHERE e.sequence > ?
  )`

const eventRow = (row: EventRow): EventRow => ({
  sequence: row.sequence,
  job: row.job,
  correlation_id: row.correlation_id,
  subject_kind: row.subject_kind,
  event: row.event,
  from_state: row.from_state,
  to_state: row.to_state,
  transition_reason: row.transition_reason,
  error_code: row.error_code,
  actor: row.actor,
  occurred_at: row.occurred_at,
  incarnation: row.incarnation,
  detail: row.detail
})

type Order = EventsQuery["order"]

const pageOf = (order: Order): string =>
  order === "descending"
    ? "e.sequence < ? ORDER BY e.sequence DESC LIMIT ?"
    : "e.sequence > ? ORDER BY e.sequence ASC LIMIT ?"

/** Those of all, or of hosts alone, which have an index of their own. */
export const pageRows = (order: Order, hosts: boolean): string =>
  `SELECT ${columns} FROM event e ${joins} WHERE ${hosts ? "e.job IS NULL AND " : ""}${pageOf(order)}`

export const events = (connection: Connection, { after, hosts, job, limit, order }: EventsQuery) => {
  const backwards = order === "descending"
  const bound = backwards && after === 0 ? Number.MAX_SAFE_INTEGER : after
  const rows =
    job === null
      ? ask<EventRow>(connection, pageRows(order, hosts === true), [bound, limit])
      : ask<EventRow>(
          connection,
          `${chain} SELECT ${columns} FROM link CROSS JOIN event e ON e.sequence = link.sequence ${joins} WHERE ${pageOf(order)}`,
          [job, backwards ? 0 : after, bound, limit]
        )
  return Effect.map(rows, (found) => found.map(eventRow))
}
