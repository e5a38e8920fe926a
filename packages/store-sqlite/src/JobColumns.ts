/**
 * A job's columns, from SQLite's numbers to the contract's words and back. The only place that knows the order of `job_state`.
 */
import type { JobOriginRow, JobStateRow, JobWithBodiesRow } from "@muster/core"
import { bulk, list, type Value } from "./Statements.ts"
import {
  agentDispositions,
  agentPhases,
  agentStandings,
  agentStates,
  jobStates,
  type Words
} from "./Words.ts"

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
  "result",
  "last_error_code",
  "restarts",
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
  /** The number of its row in `job_result`. */
  readonly result: number | null
}

const waiting = agentStandings.number("waiting")
const pending = jobStates.number("PENDING")
const retryScheduled = jobStates.number("RETRY_SCHEDULED")

/** Appends the values of one row of `job_state`. `horizon`: the instant up to which a runnable row counts as due. */
export const pushState = (
  values: Array<Value>,
  place: JobPlace,
  row: JobStateRow,
  links: JobLinks,
  horizon: number
): void => {
  const state = jobStates.number(row.state)
  const standing = agentStandings.number(row.standing)
  // The same question as isRunnable in core's Job.ts, asked of the row.
  const runnable =
    (state === pending || state === retryScheduled) &&
    (row.agent_state === null || (row.owner_host === null && standing === waiting))
  values.push(
    place.workflow,
    place.priority,
    place.seq,
    links.version,
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
    links.held,
    links.last_event,
    links.result,
    row.last_error_code,
    row.restarts,
    row.workspace
  )
}

/** Writes rows of `job_state`, new and old alike: their version was checked by the same transaction. */
export const writeState = bulk(
  `INSERT INTO job_state (${list([...key, ...columns])}) VALUES`,
  key.length + columns.length,
  `ON CONFLICT (${list(key)}) DO UPDATE SET ${list(columns.map((column) => `${column} = excluded.${column}`))}`
)

/** What a query selects of a job, from `job_origin` as o, `job_state` as s and `workflow` as w. */
export const jobColumns = `o.seq, s.version, w.name AS workflow_type, o.idempotency_key, o.payload_fingerprint, o.priority, o.created_at,
  o.max_retries, o.correlation_id, o.trace_context, o.replay_of, o.superseded_by, s.state, s.run_at, s.updated_at, s.retry_count,
  s.last_error_code, s.agent_state, s.incarnation, s.owner_host, s.owner_epoch, s.standing, s.phase, s.hung, s.restarts,
  s.workspace, s.disposition`

/** From an `o`: its state and its workflow. */
export const joinState = `CROSS JOIN job_state s ON s.workflow = o.workflow AND s.priority = o.priority AND s.seq = o.seq
  CROSS JOIN workflow w ON w.workflow = o.workflow`

type Spelt = "state" | "agent_state" | "standing" | "phase" | "disposition"

/** A row as `jobColumns` selects it. */
export interface SelectedJob extends JobOriginRow, Omit<JobStateRow, Spelt> {
  readonly seq: number
  readonly version: number
  readonly superseded_by: number | null
  readonly state: number
  readonly agent_state: number | null
  readonly standing: number | null
  readonly phase: number | null
  readonly disposition: number | null
  readonly payload?: string
  readonly body?: string | null
}

const word = (words: Words, number: number): string => words.word(number) ?? ""

export const jobRow = (row: SelectedJob): JobWithBodiesRow => ({
  seq: row.seq,
  version: row.version,
  workflow_type: row.workflow_type,
  idempotency_key: row.idempotency_key,
  payload_fingerprint: row.payload_fingerprint,
  priority: row.priority,
  created_at: row.created_at,
  max_retries: row.max_retries,
  correlation_id: row.correlation_id,
  trace_context: row.trace_context,
  replay_of: row.replay_of,
  superseded_by: row.superseded_by,
  state: word(jobStates, row.state),
  run_at: row.run_at,
  updated_at: row.updated_at,
  retry_count: row.retry_count,
  last_error_code: row.last_error_code,
  agent_state: agentStates.word(row.agent_state),
  incarnation: row.incarnation,
  owner_host: row.owner_host,
  owner_epoch: row.owner_epoch,
  standing: agentStandings.word(row.standing),
  phase: agentPhases.word(row.phase),
  hung: row.hung,
  restarts: row.restarts,
  workspace: row.workspace,
  disposition: agentDispositions.word(row.disposition),
  payload: row.payload ?? null,
  result: row.body ?? null
})
