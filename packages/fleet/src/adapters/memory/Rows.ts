/**
 * A job's row as its insert makes it, and as a change leaves it: every column by name, so that nothing else of a unit gets in.
 */
import type { ChangeRow, InsertRow, JobRow } from "@muster/core"

export const insertedRow = (seq: number, { origin, run_at }: InsertRow): JobRow => ({
  seq,
  version: 1,
  superseded_by: null,
  workflow_type: origin.workflow_type,
  idempotency_key: origin.idempotency_key,
  payload_fingerprint: origin.payload_fingerprint,
  priority: origin.priority,
  created_at: origin.created_at,
  max_retries: origin.max_retries,
  correlation_id: origin.correlation_id,
  trace_context: origin.trace_context,
  replay_of: origin.replay_of,
  state: "PENDING",
  run_at,
  updated_at: origin.created_at,
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

export const changedRow = (row: JobRow, { state, version }: ChangeRow): JobRow => ({
  ...row,
  version: version + 1,
  state: state.state,
  run_at: state.run_at,
  updated_at: state.updated_at,
  retry_count: state.retry_count,
  last_error_code: state.last_error_code,
  hold: state.hold,
  agent_state: state.agent_state,
  incarnation: state.incarnation,
  owner_host: state.owner_host,
  owner_epoch: state.owner_epoch,
  standing: state.standing,
  phase: state.phase,
  hung: state.hung,
  restarts: state.restarts,
  steps: state.steps,
  workspace: state.workspace,
  disposition: state.disposition
})
