/**
 * A job's columns, from SQLite's numbers to the contract's words and back. The only place that knows the order of `job_state`.
 */
import type { InsertRow, JobStateRow, JobWithBodiesRow } from "@muster/core"
import { bulk, list, type Value } from "./Statements.ts"
import { agentDispositions, agentPhases, agentStandings, agentStates, jobStates } from "./Words.ts"

const key = ["workflow", "priority", "seq"] as const
const columns = [
  "version",
  "state",
  "queue",
  "run_at",
  "updated_at",
  "retry_count",
  "agent_state",
  "incarnation",
  "owner_host",
  "owner_epoch",
  "standing",
  "phase",
  "hung",
  "disposition",
  "held",
  "last_event",
  "ending",
  "last_error_code",
  "hold",
  "restarts",
  "steps",
  "workspace"
] as const

/** What a commit knows of a job's row beside the contract's columns. */
export interface JobPlace {
  /** The number of the job's workflow. */
  readonly workflow: number
  readonly priority: number
  readonly seq: number
}

export interface JobLinks {
  readonly version: number
  /** Whether a letter of the job may be replayed. */
  readonly held: number
  readonly last_event: number | null
  /** The number of its row in `job_end`; null while it has none. */
  readonly ending: number | null
}

const waiting = agentStandings.number("waiting")
const unlanded = agentStandings.number("landing_unknown")
const pending = jobStates.number("PENDING")
const retryScheduled = jobStates.number("RETRY_SCHEDULED")

/** The columns of a job as its insert makes it. */
export const created = (insert: InsertRow): JobStateRow => ({
  state: "PENDING",
  run_at: insert.run_at,
  updated_at: insert.origin.created_at,
  retry_count: 0,
  last_error_code: null,
  hold: null,
  agent_state: null,
  incarnation: 0,
  owner_host: null,
  owner_epoch: null,
  standing: null,
  phase: null,
  hung: 0,
  restarts: null,
  steps: null,
  workspace: null,
  disposition: null
})

/** Appends the values of one row of `job_state`. `horizon`: the instant up to which a runnable row counts as due. */
export const pushState = (
  values: Array<Value>,
  now: JobPlace & JobLinks,
  row: JobStateRow,
  horizon: number
): void => {
  const state = jobStates.number(row.state)
  const standing = agentStandings.number(row.standing)
  // The same question as isRunnable in core's Job.ts, asked of the row.
  const runnable =
    row.hold === null &&
    (state === pending || state === retryScheduled) &&
    (row.agent_state === null || (row.owner_host === null && (standing === waiting || standing === unlanded)))
  values.push(
    now.workflow,
    now.priority,
    now.seq,
    now.version,
    state,
    runnable ? (row.run_at <= horizon ? 0 : 1) : null,
    row.run_at,
    row.updated_at,
    row.retry_count,
    agentStates.number(row.agent_state),
    row.incarnation,
    row.owner_host,
    row.owner_epoch,
    standing,
    agentPhases.number(row.phase),
    row.hung,
    agentDispositions.number(row.disposition),
    now.held,
    now.last_event,
    now.ending,
    row.last_error_code,
    row.hold,
    row.restarts,
    row.steps,
    row.workspace
  )
}

/** Writes rows of `job_state`, new and old alike: their version was checked by the same transaction. */
export const writeState = bulk(
  `INSERT INTO job_state (${list([...key, ...columns])}) VALUES`,
  key.length + columns.length,
  `ON CONFLICT (${list(key)}) DO UPDATE SET ${list(columns.map((column) => `${column} = excluded.${column}`))}`
)

/**
 * What a query selects of a job, from `job_origin` as o, `job_state` as s and `workflow` as w, in the order of `SelectedJob`.
 */
export const jobColumns = `o.seq, s.version, w.name, o.idempotency_key, o.payload_fingerprint, o.priority, o.created_at, o.max_retries,
  o.correlation_id, o.trace_context, o.replay_of, o.superseded_by, s.state, s.run_at, s.updated_at, s.retry_count, s.last_error_code, s.hold,
  s.agent_state, s.incarnation, s.owner_host, s.owner_epoch, s.standing, s.phase, s.hung, s.restarts, s.steps, s.workspace,
  s.disposition`

/** From an `o`: its state and its workflow. */
export const joinState = `CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq
  CROSS JOIN workflow w ON w.workflow = o.workflow`

/** A row as `jobColumns` selects it, with the bodies after it where the query asks for them. */
export type SelectedJob = readonly [
  seq: number,
  version: number,
  workflowType: string,
  idempotencyKey: string,
  payloadFingerprint: string,
  priority: number,
  createdAt: number,
  maxRetries: number,
  correlationId: string | null,
  traceContext: string | null,
  replayOf: number | null,
  supersededBy: number | null,
  state: number,
  runAt: number,
  updatedAt: number,
  retryCount: number,
  lastErrorCode: string | null,
  hold: string | null,
  agentState: number | null,
  incarnation: number,
  ownerHost: number | null,
  ownerEpoch: number | null,
  standing: number | null,
  phase: number | null,
  hung: number,
  restarts: string | null,
  steps: string | null,
  workspace: string | null,
  disposition: number | null,
  payload?: string,
  result?: string | null,
  // see RowsInHand.ts
  workflow?: number,
  held?: number,
  lastEvent?: number | null,
  ending?: number | null
]

export const jobRow = (row: SelectedJob): JobWithBodiesRow => ({
  seq: row[0],
  version: row[1],
  workflow_type: row[2],
  idempotency_key: row[3],
  payload_fingerprint: row[4],
  priority: row[5],
  created_at: row[6],
  max_retries: row[7],
  correlation_id: row[8],
  trace_context: row[9],
  replay_of: row[10],
  superseded_by: row[11],
  state: jobStates.word(row[12]) ?? "",
  run_at: row[13],
  updated_at: row[14],
  retry_count: row[15],
  last_error_code: row[16],
  hold: row[17],
  agent_state: agentStates.word(row[18]),
  incarnation: row[19],
  owner_host: row[20],
  owner_epoch: row[21],
  standing: agentStandings.word(row[22]),
  phase: agentPhases.word(row[23]),
  hung: row[24],
  restarts: row[25],
  steps: row[26],
  workspace: row[27],
  disposition: agentDispositions.word(row[28]),
  payload: row[29] ?? null,
  result: row[30] ?? null
})
