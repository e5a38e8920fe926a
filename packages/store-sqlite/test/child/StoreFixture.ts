// Jobs for the tests of the driver and for the processes that they kill: submitted, claimed, finished.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type {
  ChangeRow,
  CommitRows,
  EventDraftRow,
  InsertRow,
  JobStateRow,
  JobWithBodiesRow
} from "@muster/core"
import { Effect } from "effect"

/** A path for a store in a folder of its own, removed with the scope. */
export const storePath = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "store-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
).pipe(Effect.map((path) => join(path, "fleet.db")))

export const start = 1_750_000_000_000

export const event = (parts: Partial<EventDraftRow>): EventDraftRow => ({
  subject_kind: "job",
  event: "submit",
  from_state: null,
  to_state: "PENDING",
  transition_reason: "submitted",
  error_code: null,
  actor: "operator:ana",
  occurred_at: start,
  incarnation: 0,
  detail: null,
  ...parts
})

export const insert = (
  key: string,
  parts: { readonly priority?: number; readonly run_at?: number; readonly workflow?: string } = {}
): InsertRow => ({
  origin: {
    workflow_type: parts.workflow ?? "review",
    idempotency_key: key,
    payload_fingerprint: `print of ${key}`,
    priority: parts.priority ?? 0,
    created_at: start,
    max_retries: 3,
    correlation_id: null,
    trace_context: null,
    replay_of: null
  },
  run_at: parts.run_at ?? start,
  payload: `{"key":"${key}"}`,
  events: [event({})],
  supersedes: null
})

export const change = (
  row: JobWithBodiesRow,
  state: Partial<JobStateRow>,
  parts: Partial<ChangeRow> = {}
): ChangeRow => ({
  seq: row.seq,
  version: row.version,
  contested: false,
  state: {
    state: row.state,
    run_at: row.run_at,
    updated_at: row.updated_at,
    retry_count: row.retry_count,
    last_error_code: row.last_error_code,
    hold: row.hold,
    agent_state: row.agent_state,
    incarnation: row.incarnation,
    owner_host: row.owner_host,
    owner_epoch: row.owner_epoch,
    standing: row.standing,
    phase: row.phase,
    hung: row.hung,
    restarts: row.restarts,
    steps: row.steps,
    workspace: row.workspace,
    disposition: row.disposition,
    ...state
  },
  events: [],
  retry: null,
  letter: null,
  markers: [],
  result: null,
  ...parts
})

export const claim = (
  row: JobWithBodiesRow,
  host: { readonly host: number; readonly epoch: number }
): ChangeRow => {
  const actor = `host:${host.host}`
  return change(
    row,
    {
      state: "PROCESSING",
      agent_state: "dispatched",
      incarnation: 1,
      owner_host: host.host,
      owner_epoch: host.epoch,
      phase: "prepare"
    },
    {
      contested: true,
      events: [
        event({
          event: "validate",
          from_state: "PENDING",
          to_state: "VALIDATING",
          transition_reason: "slot_free",
          actor
        }),
        event({
          event: "accept",
          from_state: "VALIDATING",
          to_state: "PROCESSING",
          transition_reason: "payload_valid",
          actor
        }),
        event({
          subject_kind: "agent",
          event: "dispatch",
          to_state: "dispatched",
          transition_reason: "job_accepted",
          actor
        })
      ]
    }
  )
}

export const finish = (row: JobWithBodiesRow, storeId: string): ChangeRow =>
  change(
    row,
    {
      state: "CANCELLED",
      agent_state: "abandoned",
      owner_host: null,
      owner_epoch: null,
      phase: null,
      standing: "closing"
    },
    {
      result: `"done"`,
      events: [
        event({
          subject_kind: "agent",
          event: "abandon",
          from_state: "dispatched",
          to_state: "abandoned",
          transition_reason: "cancelled",
          actor: `agent:${storeId}-${row.seq}`
        }),
        event({
          event: "cancel",
          from_state: "PROCESSING",
          to_state: "CANCELLED",
          transition_reason: "operator"
        })
      ]
    }
  )

export const unit = (parts: Partial<CommitRows>): CommitRows => ({
  fence: null,
  at: start,
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
