/**
 * Reading agents: those of an owner, those in some states, and those whom nobody looks after any more.
 */
import type { AgentsQuery, JobWithBodiesRow } from "@muster/core"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { jobColumns, jobRow, joinState, type SelectedJob } from "./JobColumns.ts"
import { jobsBySeq } from "./JobQueries.ts"
import { live, owed } from "./schema/Version1.ts"
import { ask, askRows, type Connection } from "./Statements.ts"
import { agentStates, numbersOf } from "./Words.ts"

interface Key {
  readonly seq: number
}

const ofOwner = `SELECT s.seq FROM job_state s INDEXED BY job_live
  WHERE s.owner_host = ? AND s.owner_epoch = ? AND s.seq > ? ORDER BY s.seq LIMIT ?`

const ofNobody = `SELECT s.seq FROM job_state s INDEXED BY job_owed WHERE ${owed("s.")} AND s.seq > ? ORDER BY s.seq LIMIT ?`

/** Every owner that has a row, found by a seek each. */
const owners = `WITH RECURSIVE owner (host) AS (
    SELECT min(s.owner_host) FROM job_state s INDEXED BY job_live WHERE s.owner_host IS NOT NULL
    UNION ALL
    SELECT (SELECT min(s.owner_host) FROM job_state s INDEXED BY job_live WHERE s.owner_host > owner.host)
    FROM owner WHERE owner.host IS NOT NULL)
  SELECT host FROM owner WHERE host IS NOT NULL`

/** The rows of an owner whose epoch is over; of one that lives, at most as many rows are looked at as it has in work. */
const ofLost = `SELECT s.seq FROM job_state s INDEXED BY job_live
  WHERE s.owner_host = ? AND s.seq > ?
    AND NOT EXISTS (SELECT 1 FROM host h WHERE h.host = s.owner_host AND h.epoch = s.owner_epoch AND h.state = 'live')
  ORDER BY s.seq LIMIT ?`

const orphaned = Effect.fnUntraced(function* (connection: Connection, after: number, limit: number) {
  const keys = [...(yield* ask<Key>(connection, ofNobody, [after, limit]))]
  for (const { host } of yield* ask<{ readonly host: number }>(connection, owners))
    keys.push(...(yield* ask<Key>(connection, ofLost, [host, after, limit])))
  const seqs = keys.map(({ seq }) => seq).toSorted((a, b) => a - b)
  return yield* jobsBySeq(connection, seqs.slice(0, limit))
})

const inStates = (
  connection: Connection,
  { after, limit, states }: Extract<AgentsQuery, { readonly by: "state" }>
): Effect.Effect<ReadonlyArray<JobWithBodiesRow>, SqlError.SqlError> => {
  const wanted = `s.agent_state IN ${numbersOf(agentStates, states)}`
  // The tombstoned are nearly all: they are found by walking the jobs. The others are few and have an index.
  const rows = states.includes("tombstoned")
    ? askRows<SelectedJob>(
        connection,
        `SELECT ${jobColumns} FROM job_origin o ${joinState} WHERE o.seq > ? AND ${wanted} ORDER BY o.seq LIMIT ?`,
        [after, limit]
      )
    : askRows<SelectedJob>(
        connection,
        `SELECT ${jobColumns} FROM (
          SELECT s.seq FROM job_state s INDEXED BY job_live WHERE (${live("s.")}) AND ${wanted} AND s.seq > ? ORDER BY s.seq LIMIT ?
        ) found CROSS JOIN job_origin o ON o.seq = found.seq ${joinState} ORDER BY o.seq`,
        [after, limit]
      )
  return Effect.map(rows, (found) => found.map(jobRow))
}

export const agents = (
  connection: Connection,
  query: AgentsQuery
): Effect.Effect<ReadonlyArray<JobWithBodiesRow>, SqlError.SqlError> => {
  if (query.by === "state") return inStates(connection, query)
  if (query.by === "orphaned") return orphaned(connection, query.after, query.limit)
  const keys = ask<Key>(connection, ofOwner, [query.host, query.epoch, 0, -1])
  return Effect.flatMap(keys, (found) =>
    jobsBySeq(
      connection,
      found.map(({ seq }) => seq)
    )
  )
}
