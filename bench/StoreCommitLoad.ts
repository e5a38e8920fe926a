/**
 * The load of store-commit.ts: jobs that start and finish in turns of the loop, 7 events each in two commits, as the fleet writes them.
 */
import type {
  ChangeRow,
  CommitRows,
  EventDraftRow,
  InsertRow,
  JobStateRow,
  JobWithBodiesRow
} from "@muster/core"

export const at = 1_750_000_000_000

const event = (
  subject_kind: string,
  name: string,
  from_state: string | null,
  to_state: string,
  transition_reason: string,
  actor: string,
  incarnation: number
): EventDraftRow => ({
  subject_kind,
  event: name,
  from_state,
  to_state,
  transition_reason,
  error_code: null,
  actor,
  occurred_at: at,
  incarnation,
  detail: null
})

/** A new job; its key and its fingerprint are as long as the hashes that they are in real life, and in no order. */
export const insertRow = (index: number, priorities: number): InsertRow => {
  const hash = Math.imul(index + 1, 2_654_435_761) >>> 0
  return {
    origin: {
      workflow_type: "review",
      idempotency_key: `${hash.toString(16).padStart(8, "0")}${String(index).padStart(56, "0")}`,
      payload_fingerprint: String(index).padStart(64, "f"),
      priority: index % priorities,
      created_at: at,
      max_retries: 5,
      correlation_id: null,
      trace_context: null,
      replay_of: null
    },
    run_at: at,
    payload: `{"index":${index}}`,
    events: [event("job", "submit", null, "PENDING", "submitted", "operator:bench", 0)],
    supersedes: null
  }
}

const stateOf = (row: JobWithBodiesRow, parts: Partial<JobStateRow>): JobStateRow => ({
  state: row.state,
  run_at: row.run_at,
  updated_at: at,
  retry_count: 0,
  last_error_code: null,
  hold: null,
  agent_state: "working",
  incarnation: 1,
  owner_host: null,
  owner_epoch: null,
  standing: null,
  phase: null,
  hung: 0,
  restarts: null,
  steps: null,
  workspace: null,
  disposition: null,
  ...parts
})

const nothingElse = { retry: null, letter: null, markers: [] } as const

/** Validated, accepted, dispatched and prepared in the turn that peeked at it. */
export const starting = (row: JobWithBodiesRow, storeId: string, host: number, epoch: number): ChangeRow => {
  const actor = `host:${host}`
  const agent = `agent:${storeId}-${row.seq}`
  return {
    seq: row.seq,
    version: row.version,
    contested: true,
    state: stateOf(row, { state: "PROCESSING", owner_host: host, owner_epoch: epoch, phase: "work" }),
    events: [
      event("job", "validate", "PENDING", "VALIDATING", "slot_free", actor, 0),
      event("job", "accept", "VALIDATING", "PROCESSING", "payload_valid", actor, 0),
      event("agent", "dispatch", null, "dispatched", "job_accepted", actor, 1),
      event("agent", "prepare", "dispatched", "working", "prepared", agent, 1)
    ],
    ...nothingElse,
    result: null
  }
}

/** Landed, completed and cleaned. */
export const finishing = (row: JobWithBodiesRow, storeId: string): ChangeRow => {
  const agent = `agent:${storeId}-${row.seq}`
  return {
    seq: row.seq,
    version: row.version + 1,
    contested: false,
    state: stateOf(row, { state: "COMPLETED", agent_state: "tombstoned", disposition: "landed" }),
    events: [
      event("agent", "land", "working", "landed", "commit_verified", agent, 1),
      event("job", "complete", "PROCESSING", "COMPLETED", "landed", agent, 1),
      event("agent", "clean", "landed", "tombstoned", "clean", agent, 1)
    ],
    ...nothingElse,
    result: `{"ok":true}`
  }
}

export const unitOf = (parts: Partial<CommitRows>): CommitRows => ({
  fence: null,
  at,
  inserts: [],
  changes: [],
  notes: [],
  intents: [],
  settled: [],
  bank: null,
  breakers: [],
  undelivered: null,
  ...parts
})
