/**
 * Forgetting finished jobs with all that belongs to them, oldest first, never one that a replay still needs (R31).
 */
import type { StoreDriver } from "@muster/core"
import { Effect } from "effect"
import type { JobPlace } from "./JobColumns.ts"
import { over } from "./schema/Version1.ts"
import { ask, bulk, read, write, type Connection } from "./Statements.ts"
import { agentStates } from "./Words.ts"

/** A job from the table of the ended. */
interface Ended extends JobPlace {
  readonly ending: number
  readonly state: number
  readonly agent_state: number | null
  readonly held: number
  readonly updated_at: number
  readonly last_event: number | null
  readonly superseded_by: number | null
  /** 1 when it has a letter that counts: not discarded, and no replay has superseded it. */
  readonly letter: number
}

const tombstoned = agentStates.number("tombstoned")

/** Rows of the table of the ended that are read at once, at most and at least. */
const pages = { most: 1000, least: 100 }

const ended = `SELECT s.workflow, s.priority, s.seq, e.ending, s.state, s.agent_state, s.held, s.updated_at, s.last_event,
    o.superseded_by, o.superseded_by IS NULL AND EXISTS (SELECT 1 FROM letter l WHERE l.job = o.seq AND l.discarded_at IS NULL) AS letter`

const nextEnded = `${ended} FROM job_end e CROSS JOIN job_origin o ON o.seq = e.job
  CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq
  WHERE e.ending > ? AND s.state IN ${over} ORDER BY e.ending LIMIT ?`

const namedEnded = bulk(
  `${ended} FROM (VALUES`,
  1,
  `) wanted CROSS JOIN job_origin o ON o.seq = wanted.column1
  CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq
  CROSS JOIN job_end e ON e.ending = s.ending
  WHERE s.state IN ${over}`
)

/** Whether a job later in a job's chain of replays has to stay. */
const laterStays = `WITH RECURSIVE later (seq) AS (
    SELECT ? UNION ALL SELECT o.superseded_by FROM later CROSS JOIN job_origin o ON o.seq = later.seq WHERE o.superseded_by IS NOT NULL)
  SELECT 1 FROM later CROSS JOIN job_origin o ON o.seq = later.seq
  CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq
  WHERE s.state NOT IN ${over} OR s.agent_state <> ${tombstoned} OR s.held = 1 OR s.updated_at >= ? LIMIT 1`

/** Whether nothing needs the job any more. */
const mayGo = Effect.fnUntraced(function* (connection: Connection, row: Ended, before: number) {
  if (row.updated_at >= before || row.held !== 0) return false
  if (row.agent_state !== null && row.agent_state !== tombstoned) return false
  return (
    row.superseded_by === null ||
    (yield* ask(connection, laterStays, [row.superseded_by, before])).length === 0
  )
})

/**
 * The finished jobs with the smallest `updated_at`. Jobs end in that order but for the clocks of hosts and the time that cleaning takes,
 * so the search ends when it has met a page of jobs that are too young, or twice as many as are wanted.
 */
const oldest = Effect.fnUntraced(function* (connection: Connection, before: number, limit: number) {
  const found: Array<Ended> = []
  const page = Math.min(pages.most, Math.max(pages.least, 2 * limit))
  let tooYoung = 0
  let after = 0
  while (tooYoung < page && found.length < 2 * limit) {
    const rows = yield* ask<Ended>(connection, nextEnded, [after, page])
    for (const row of rows) {
      if (row.updated_at >= before) tooYoung += 1
      else if (yield* mayGo(connection, row, before)) found.push(row)
      after = row.ending
    }
    if (rows.length < page) break
  }
  return found
})

const chosen = Effect.fnUntraced(function* (
  connection: Connection,
  { finished_before, jobs, limit }: Parameters<StoreDriver["prune"]>[0]
) {
  const found =
    jobs === undefined
      ? yield* oldest(connection, finished_before, limit)
      : yield* Effect.filter(yield* read<Ended>(connection, namedEnded, jobs), (row) =>
          mayGo(connection, row, finished_before)
        )
  return found.toSorted((a, b) => a.updated_at - b.updated_at || a.seq - b.seq).slice(0, limit)
})

const forgetEvents = bulk(
  `DELETE FROM event WHERE sequence IN (
    WITH RECURSIVE link (sequence) AS (
      SELECT column1 FROM (VALUES`,
  1,
  `)
      UNION ALL
      SELECT e.previous FROM link CROSS JOIN event e ON e.sequence = link.sequence WHERE e.previous IS NOT NULL)
    SELECT sequence FROM link)`
)
const forgetEndings = bulk(`DELETE FROM job_end WHERE ending IN (VALUES`, 1, `)`)
const forgetStates = bulk(`DELETE FROM job_state WHERE (workflow, priority, seq) IN (VALUES`, 3, `)`)
const forgetOrigins = bulk(`DELETE FROM job_origin WHERE seq IN (VALUES`, 1, `)`)
const forgetRecords = ["retry", "letter", "marker", "intent"].map((table) =>
  bulk(`DELETE FROM ${table} WHERE job IN (VALUES`, 1, `)`)
)

/** Runs inside a transaction. */
export const prune = Effect.fnUntraced(function* (
  connection: Connection,
  request: Parameters<StoreDriver["prune"]>[0]
) {
  const found = yield* chosen(connection, request)
  if (request.dry_run === true || found.length === 0) return found.length
  const seqs = found.map(({ seq }) => seq)
  const chains = found.flatMap(({ last_event }) => (last_event === null ? [] : [last_event]))
  yield* write(connection, forgetEvents, chains)
  for (const forget of forgetRecords) yield* write(connection, forget, seqs)
  yield* write(
    connection,
    forgetStates,
    found.flatMap(({ priority, seq, workflow }) => [workflow, priority, seq])
  )
  yield* write(connection, forgetOrigins, seqs)
  yield* write(
    connection,
    forgetEndings,
    found.map(({ ending }) => ending)
  )
  const counts = new Map<string, { workflow: number; state: number; count: number }>()
  for (const { state, workflow } of found) {
    const key = `${workflow} ${state}`
    counts.set(key, { workflow, state, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  for (const { count, state, workflow } of counts.values())
    yield* ask(connection, `UPDATE tally SET count = count - ? WHERE workflow = ? AND state = ?`, [
      count,
      workflow,
      state
    ])
  const letters = found.reduce((sum, { letter }) => sum + letter, 0)
  if (letters > 0) yield* ask(connection, `UPDATE store SET letters = letters - ?`, [letters])
  return found.length
})
