/**
 * Rows for the store's suite: a valid insert, change or event in one call, of which a test names only what it is about.
 */
import { JobMachine } from "../../domain/JobMachine.ts"
import type { ChangeRow, CommitRows, InsertRow } from "../../ports/StoreDriver.ts"
import type {
  BreakerRow,
  EventDraftRow,
  IntentDraftRow,
  JobOriginRow,
  JobRow,
  JobStateRow,
  LetterRow,
  MarkerRow,
  MessageRow,
  RetryRow
} from "../../ports/StoreRows.ts"

/** An arbitrary instant; tests count from it. */
export const start = 1_700_000_000_000

export const eventRow = (parts: Partial<EventDraftRow> = {}): EventDraftRow => ({
  subject_kind: "job",
  event: "late_completion",
  from_state: null,
  to_state: null,
  transition_reason: "tested",
  error_code: null,
  actor: "host:1",
  occurred_at: start,
  incarnation: 0,
  detail: null,
  ...parts
})

export const submitted = (parts: Partial<EventDraftRow> = {}): EventDraftRow =>
  eventRow({
    event: "submit",
    to_state: "PENDING",
    transition_reason: "submitted",
    actor: "operator:ana",
    ...parts
  })

/** A new job: `insertRow("a", { priority: 3 })`. Its workflow is `review` and it is due at `start`. */
export const insertRow = (
  key: string,
  parts: Partial<JobOriginRow> & {
    readonly run_at?: number
    readonly payload?: string
    readonly events?: ReadonlyArray<EventDraftRow>
    readonly supersedes?: number | null
  } = {}
): InsertRow => {
  const { events, payload, run_at, supersedes, ...origin } = parts
  return {
    origin: {
      workflow_type: "review",
      idempotency_key: key,
      payload_fingerprint: `print of ${key}`,
      priority: 0,
      created_at: start,
      max_retries: 3,
      correlation_id: null,
      trace_context: null,
      replay_of: supersedes ?? null,
      ...origin
    },
    run_at: run_at ?? start,
    payload: payload ?? `{"key":${JSON.stringify(key)}}`,
    events: events ?? [submitted()],
    supersedes: supersedes ?? null
  }
}

const stateOf = (row: JobRow): JobStateRow => ({
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
  disposition: row.disposition
})

/** The event that the job's table has between two states; a note where the state stays. */
export const moveEvent = (from: string, to: string, parts: Partial<EventDraftRow> = {}): EventDraftRow => {
  const found = JobMachine.edges.find((edge) => edge.from === from && edge.to === to)
  return found === undefined
    ? eventRow(parts)
    : eventRow({
        event: found.event,
        from_state: from,
        to_state: to,
        transition_reason: found.reasons[0] ?? "tested",
        ...parts
      })
}

/** A change of `row` as it was read: its version, its columns with `state` over them, and the event of its move. */
export const changeRow = (
  row: JobRow,
  state: Partial<JobStateRow> = {},
  parts: Partial<ChangeRow> = {}
): ChangeRow => ({
  seq: row.seq,
  version: row.version,
  contested: false,
  state: { ...stateOf(row), ...state },
  events: [moveEvent(row.state, state.state ?? row.state)],
  retry: null,
  letter: null,
  markers: [],
  result: null,
  ...parts
})

export const unitOf = (parts: Partial<CommitRows>): CommitRows => ({
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

export const retryRow = (parts: Partial<RetryRow> = {}): RetryRow => ({
  attempt: 1,
  incarnation: 1,
  error_code: "EXT_TIMEOUT",
  burned: 1,
  delay_ms: 2000,
  next_at: start + 2000,
  at: start,
  failure: `{"code":"EXT_TIMEOUT"}`,
  ...parts
})

export const letterRow = (parts: Partial<LetterRow> = {}): LetterRow => ({
  final_state: "FAILED",
  failure_error_code: "MATH_OVERFLOW",
  failure_summary: "too large",
  quarantined_at: start,
  replay_eligible: 1,
  raw: null,
  discarded_at: null,
  ...parts
})

export const markerRow = (name: string, parts: Partial<MarkerRow> = {}): MarkerRow => ({
  name,
  state: "started",
  incarnation: 1,
  at: start,
  result: null,
  ...parts
})

export const intentRow = (parts: Partial<IntentDraftRow> = {}): IntentDraftRow => ({
  kind: "pause",
  job: null,
  host: null,
  value: null,
  reason: "maintenance",
  actor: "operator:ana",
  requested_at: start,
  request_id: null,
  ...parts
})

export const breakerRow = (parts: Partial<BreakerRow> = {}): BreakerRow => ({
  workflow_type: "review",
  state: "open",
  opened_at: start,
  probe_at: start + 30_000,
  failures: 5,
  at: start,
  ...parts
})

export const messageRow = (parts: Partial<MessageRow> = {}): MessageRow => ({
  message_id: "m1",
  producer_agent: "agent:a",
  consumer_agent: "agent:b",
  message_type: "question",
  reason: "ended",
  at: start,
  envelope: `{"message_id":"m1"}`,
  ...parts
})
