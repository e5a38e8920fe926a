/**
 * Forgetting finished jobs with all that belongs to them, oldest first, never one that a replay still needs (R31).
 */
import { isOver, JobMachine, type StoreDriver } from "@muster/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { JobPlace } from "./JobColumns.ts"
import { over } from "./schema/Version1.ts"
import { bulk, write } from "./Statements.ts"
import { agentStates, jobStates } from "./Words.ts"

interface Finished extends JobPlace {
  readonly state: number
  readonly result: number | null
  readonly last_event: number | null
  readonly updated_at: number
  /** 1 when it has a letter that no replay has superseded. */
  readonly letter: number
}

const tombstoned = agentStates.number("tombstoned")

/** Whether a job later in the chain of replays of `f` has to stay. */
const replayedStill = `EXISTS (
  WITH RECURSIVE later (seq) AS (
    SELECT o.superseded_by FROM job_origin o WHERE o.seq = f.seq AND o.superseded_by IS NOT NULL
    UNION ALL
    SELECT o.superseded_by FROM later CROSS JOIN job_origin o ON o.seq = later.seq WHERE o.superseded_by IS NOT NULL)
  SELECT 1 FROM later CROSS JOIN job_origin o ON o.seq = later.seq
  CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq
  WHERE s.state NOT IN ${over} OR s.agent_state <> ${tombstoned} OR s.held = 1 OR s.updated_at >= ?)`

/** One state's finished jobs, oldest first; index `job_over` keeps those apart whose letter may still be replayed. */
const oldest = (state: string) => `SELECT * FROM (
  SELECT f.workflow, f.priority, f.seq, f.state, f.result, f.last_event, f.updated_at FROM job_state f INDEXED BY job_over
  WHERE f.state IN ${over} AND f.state = ${jobStates.number(state)} AND f.held = 0 AND f.updated_at < ?
    AND (f.agent_state IS NULL OR f.agent_state = ${tombstoned}) AND NOT ${replayedStill}
  ORDER BY f.updated_at LIMIT ?)`

const overStates = JobMachine.states.filter(isOver)

const findFinished = `SELECT found.*, EXISTS (SELECT 1 FROM letter l CROSS JOIN job_origin o ON o.seq = l.job
    WHERE l.job = found.seq AND o.superseded_by IS NULL) AS letter
  FROM (${overStates.map(oldest).join(" UNION ALL ")} ORDER BY updated_at, seq LIMIT ?) found`

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
const forgetResults = bulk(`DELETE FROM job_result WHERE result IN (VALUES`, 1, `)`)
const forgetStates = bulk(`DELETE FROM job_state WHERE (workflow, priority, seq) IN (VALUES`, 3, `)`)
const forgetOrigins = bulk(`DELETE FROM job_origin WHERE seq IN (VALUES`, 1, `)`)
const forgetRecords = ["retry", "letter", "marker", "intent"].map((table) =>
  bulk(`DELETE FROM ${table} WHERE job IN (VALUES`, 1, `)`)
)

/** Runs inside a transaction that began with BEGIN IMMEDIATE. */
export const prune = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { finished_before, limit }: Parameters<StoreDriver["prune"]>[0]
) {
  const bounds = overStates.flatMap(() => [finished_before, finished_before, limit])
  const found = yield* sql.unsafe<Finished>(findFinished, [...bounds, limit])
  const seqs = found.map(({ seq }) => seq)
  const present = (numbers: ReadonlyArray<number | null>) => numbers.filter((number) => number !== null)
  yield* write(sql, forgetEvents, present(found.map(({ last_event }) => last_event)))
  yield* write(sql, forgetResults, present(found.map(({ result }) => result)))
  for (const forget of forgetRecords) yield* write(sql, forget, seqs)
  yield* write(
    sql,
    forgetStates,
    found.flatMap(({ priority, seq, workflow }) => [workflow, priority, seq])
  )
  yield* write(sql, forgetOrigins, seqs)
  for (const { state, workflow } of found)
    yield* sql.unsafe(`UPDATE tally SET count = count - 1 WHERE workflow = ? AND state = ?`, [
      workflow,
      state
    ])
  const letters = found.reduce((sum, { letter }) => sum + letter, 0)
  if (letters > 0) yield* sql.unsafe(`UPDATE store SET letters = letters - ?`, [letters])
  return found.length
})
