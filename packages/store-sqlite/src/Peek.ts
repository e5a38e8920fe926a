/**
 * The peek (R9): what may start now, in the order in which it should. Costs the same at ten jobs and at a million, whatever waits for
 * later: rows due by the latest commit's clock lie in queue 0, in the order of starting; the rest lies in queue 1, by due time.
 */
import type { JobsQuery, JobsRows } from "@muster/core"
import { Effect } from "effect"
import { jobColumns, jobRow, joinState, type SelectedJob } from "./JobColumns.ts"
import { dataVersion, handColumns, type RowsInHand } from "./RowsInHand.ts"
import { ask, askRows, type Connection } from "./Statements.ts"

type Ready = Extract<JobsQuery, { readonly by: "ready" }>

/** Due rows that no commit has promoted yet, up to which sorting them is cheaper than going through their priorities. */
const fewLate = 1000

/** A statement's text for a number of workflows, made once. */
const perCount = (make: (workflows: number) => string) => {
  const texts = new Map<number, string>()
  return (workflows: number): string => {
    const text = texts.get(workflows) ?? make(workflows)
    texts.set(workflows, text)
    return text
  }
}

const marks = (count: number): string => Array.from({ length: count }, () => "(?)").join(", ")

/** In each of the workflows, the first of queue 1 that is due after `?`. */
const nextLater = perCount(
  (workflows) => `SELECT (SELECT s.run_at FROM job_state s INDEXED BY job_later
      WHERE s.workflow = (SELECT workflow FROM workflow WHERE name = wanted.column1) AND s.queue = 1 AND s.run_at > ?
      ORDER BY s.run_at LIMIT 1) AS due, horizon
    FROM (VALUES ${marks(workflows)}) wanted CROSS JOIN store`
)

/** The first rows of queue 0 of one workflow, by index alone. */
const firstReady = `SELECT workflow, priority, run_at, seq FROM job_state INDEXED BY job_ready
  WHERE workflow = (SELECT workflow FROM workflow WHERE name = ?) AND queue = 0 AND run_at <= ?
  ORDER BY priority DESC, run_at, seq LIMIT ?`

/** The same of several workflows together, with all columns and the payload. Exported for the test that asks for its plan. */
export const readyRows = perCount((workflows) => {
  const each = Array.from({ length: workflows }, () => `SELECT * FROM (${firstReady})`)
  const keys =
    workflows === 1 ? firstReady : `${each.join(" UNION ALL ")} ORDER BY priority DESC, run_at, seq LIMIT ?`
  return `SELECT ${jobColumns}, o.payload, NULL, ${handColumns} FROM (${keys}) found CROSS JOIN job_origin o ON o.seq = found.seq ${joinState}`
})

/** Every priority that waits in a queue, largest first: a seek each (a "loose index scan"), not a row each. */
const priorities = (queue: 0 | 1, index: string) => `WITH RECURSIVE level (workflow, priority) AS (
    SELECT w.workflow, (SELECT s.priority FROM job_state s INDEXED BY ${index}
      WHERE s.workflow = w.workflow AND s.queue = ${queue} ORDER BY s.priority DESC LIMIT 1)
    FROM workflow w WHERE w.name = ?
    UNION ALL
    SELECT level.workflow, (SELECT s.priority FROM job_state s INDEXED BY ${index}
      WHERE s.workflow = level.workflow AND s.queue = ${queue} AND s.priority < level.priority ORDER BY s.priority DESC LIMIT 1)
    FROM level WHERE level.priority IS NOT NULL)`

/** In one workflow, the first of queue 0 that is due after `?`. */
const nextReady = `${priorities(0, "job_ready")}
  SELECT min((SELECT s.run_at FROM job_state s INDEXED BY job_ready
    WHERE s.workflow = level.workflow AND s.queue = 0 AND s.priority = level.priority AND s.run_at > ?
    ORDER BY s.run_at LIMIT 1)) AS due FROM level`

/** In one workflow, when the row of queue 0 that has waited longest became due. */
export const oldestReady = `${priorities(0, "job_ready")}
  SELECT min((SELECT s.run_at FROM job_state s INDEXED BY job_ready
    WHERE s.workflow = level.workflow AND s.queue = 0 AND s.priority = level.priority
    ORDER BY s.run_at LIMIT 1)) AS due FROM level`

const lateKeys = `SELECT s.seq, s.priority, s.run_at`
const lateRange = `FROM workflow w CROSS JOIN job_state s INDEXED BY job_later
  ON s.workflow = w.workflow AND s.queue = 1 AND s.run_at <= ? WHERE w.name = ?`
const countLate = `SELECT count(*) AS count FROM (SELECT 1 ${lateRange} LIMIT ${fewLate + 1})`
const sortLate = `${lateKeys} ${lateRange} ORDER BY s.priority DESC, s.run_at, s.seq LIMIT ?`
/** The order of the levels is that of the priorities, so that the first rows found are the ones wanted. */
const walkLate = `${priorities(1, "job_later_by_priority")}
  ${lateKeys} FROM level CROSS JOIN job_state s INDEXED BY job_later_by_priority
    ON s.workflow = level.workflow AND s.queue = 1 AND s.priority = level.priority AND s.run_at <= ?
  LIMIT ?`

interface Key {
  readonly seq: number
  readonly priority: number
  readonly run_at: number
}

/** R7. */
const inOrder = (a: Key, b: Key): number => b.priority - a.priority || a.run_at - b.run_at || a.seq - b.seq

/** Rows of queue 1 that are due: no commit has come by since. The same order, exactly. */
const lateRows = Effect.fnUntraced(function* (connection: Connection, { limit, now, workflows }: Ready) {
  const keys: Array<Key> = []
  for (const workflow of workflows) {
    const [late] = yield* ask<{ readonly count: number }>(connection, countLate, [now, workflow])
    const few = late === undefined || late.count <= fewLate
    keys.push(
      ...(yield* ask<Key>(
        connection,
        few ? sortLate : walkLate,
        few ? [now, workflow, limit] : [workflow, now, limit]
      ))
    )
  }
  const wanted = keys.toSorted(inOrder).slice(0, limit)
  return yield* askRows<SelectedJob>(
    connection,
    `SELECT ${jobColumns}, o.payload FROM job_origin o ${joinState} WHERE o.seq IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(wanted.map(({ seq }) => seq))]
  )
})

const least = (instants: ReadonlyArray<number | null>): number | null =>
  instants.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null)

export const peek = Effect.fnUntraced(function* (connection: Connection, inHand: RowsInHand, query: Ready) {
  const { limit, now, workflows } = query
  const count = workflows.length
  if (count === 0) return { rows: [], next_due: null }
  inHand.asOf(yield* dataVersion(connection))
  const later = (after: number) =>
    ask<{ readonly due: number | null; readonly horizon: number }>(connection, nextLater(count), [
      after,
      ...workflows
    ])

  // Queue 1 is asked before queue 0: a row that another process promotes in between is then seen twice, never missed.
  let next = yield* later(Number.MIN_SAFE_INTEGER)
  let late: ReadonlyArray<SelectedJob> = []
  if (next.some(({ due }) => due !== null && due <= now)) {
    late = yield* lateRows(connection, query)
    next = yield* later(now)
  }
  let due = least(next.map((row) => row.due))
  // Only where the clock of the reader is behind that of the latest committer may queue 0 hold rows that are not due.
  if ((next[0]?.horizon ?? 0) > now) {
    for (const workflow of workflows) {
      const [ready] = yield* ask<{ readonly due: number | null }>(connection, nextReady, [workflow, now])
      due = least([due, ready?.due ?? null])
    }
  }
  const bounds = workflows.flatMap((workflow) => [workflow, now, limit])
  const ready = yield* askRows<SelectedJob>(
    connection,
    readyRows(count),
    count === 1 ? bounds : [...bounds, limit]
  )
  inHand.keep(ready)
  const rows = ready.map(jobRow)
  if (late.length > 0) {
    const seen = new Set(rows.map(({ seq }) => seq))
    for (const row of late) if (!seen.has(row[0])) rows.push(jobRow(row))
  }
  const answer: JobsRows = { rows: rows.toSorted(inOrder).slice(0, limit), next_due: due }
  return answer
})
