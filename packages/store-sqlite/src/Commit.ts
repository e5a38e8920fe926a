/**
 * One unit of work, made durable: read what it touches, plan, write a statement a table. All of it in one transaction that has held the
 * write lock from its start, so that a compare-and-swap is a look and a write.
 */
import {
  type CommitRows,
  type CommittedRows,
  type IntentDraftRow,
  StoreBroken,
  StoreStale
} from "@muster/core"
import { Effect } from "effect"
import { CommitPlan } from "./CommitPlan.ts"
import { writeState } from "./JobColumns.ts"
import { writeMessages } from "./Messages.ts"
import type { Names } from "./Names.ts"
import type { RowsInHand } from "./RowsInHand.ts"
import { ask, bulk, write, type Connection } from "./Statements.ts"
import { readWorld } from "./World.ts"

/** Rows that a commit moves from queue 1 to queue 0 at most: about four milliseconds. */
const promotedAtOnce = 1000

const writeOrigins = bulk(
  `INSERT INTO job_origin (seq, workflow, priority, idempotency_key, payload_fingerprint, created_at, max_retries, correlation_id,
    trace_context, replay_of, payload) VALUES`,
  11
)
const writeEndings = bulk(`INSERT INTO job_end (ending, job, result) VALUES`, 3)
const writeEvents = bulk(
  `INSERT INTO event (sequence, job, move, actor, occurred_at, incarnation, previous, error_code, detail) VALUES`,
  9
)
const writeRetries = bulk(
  `INSERT INTO retry (job, attempt, incarnation, error_code, burned, delay_ms, next_at, at, failure) VALUES`,
  9
)
const writeLetters = bulk(
  `INSERT INTO letter (job, final_state, failure_error_code, failure_summary, quarantined_at, replay_eligible, raw, discarded_at) VALUES`,
  8,
  `ON CONFLICT (job) DO UPDATE SET final_state = excluded.final_state, failure_error_code = excluded.failure_error_code,
    failure_summary = excluded.failure_summary, quarantined_at = excluded.quarantined_at,
    replay_eligible = excluded.replay_eligible, raw = excluded.raw, discarded_at = excluded.discarded_at`
)
const writeMarkers = bulk(
  `INSERT INTO marker (job, name, state, incarnation, at, result) VALUES`,
  6,
  `ON CONFLICT (job, name) DO UPDATE SET state = excluded.state, incarnation = excluded.incarnation, at = excluded.at,
    result = excluded.result`
)
const writeTally = bulk(
  `INSERT INTO tally (workflow, state, count) VALUES`,
  3,
  `ON CONFLICT (workflow, state) DO UPDATE SET count = count + excluded.count`
)

/** Rows that have become due leave the index by due time for the one by priority; what is not promoted yet, the peek finds there. */
const promote = (connection: Connection, horizon: number) =>
  ask(
    connection,
    `UPDATE job_state SET queue = 0 WHERE (workflow, priority, seq) IN (
      SELECT s.workflow, s.priority, s.seq FROM workflow w
      CROSS JOIN job_state s INDEXED BY job_later ON s.workflow = w.workflow AND s.queue = 1 AND s.run_at <= ?
      LIMIT ${promotedAtOnce})`,
    [horizon]
  )

/** The number of a new intent, or of the former one with its request id (R24). */
const writeIntent = Effect.fnUntraced(function* (connection: Connection, intent: IntentDraftRow) {
  const { actor, host, job, kind, reason, request_id, requested_at, value } = intent
  const [former] = yield* ask<{ readonly intent: number }>(
    connection,
    `SELECT intent FROM intent WHERE request_id = ?`,
    [request_id]
  )
  if (former !== undefined) return former.intent
  const [added] = yield* ask<{ readonly intent: number }>(
    connection,
    `INSERT INTO intent (kind, job, host, value, reason, actor, requested_at, request_id)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING intent`,
    [kind, job, host, value, reason, actor, requested_at, request_id]
  )
  return added?.intent ?? 0
})

/** The few statements that most units have no use for. */
const writeRare = Effect.fnUntraced(function* (connection: Connection, unit: CommitRows, plan: CommitPlan) {
  for (const { ending, result } of plan.lateResults)
    yield* ask(connection, `UPDATE job_end SET result = ? WHERE ending = ?`, [result, ending])
  for (const { ending, job } of plan.superseded)
    yield* ask(
      connection,
      `UPDATE job_state SET held = 0, ending = ? WHERE workflow = ? AND priority = ? AND seq = ?`,
      [ending, job.workflow, job.priority, job.seq]
    )
  for (const { last_event, priority, seq, workflow } of plan.noted.values())
    yield* ask(
      connection,
      `UPDATE job_state SET last_event = ? WHERE workflow = ? AND priority = ? AND seq = ?`,
      [last_event, workflow, priority, seq]
    )
  const settled = unit.settled.filter(({ job }) => job === undefined || !plan.lost.includes(job))
  for (const { intent, outcome } of settled)
    yield* ask(
      connection,
      `UPDATE intent SET settled_at = ?, outcome = ? WHERE intent = ? AND settled_at IS NULL`,
      [unit.at, outcome, intent]
    )
  if (unit.bank !== null && unit.fence !== null) {
    yield* ask(
      connection,
      `INSERT INTO bank (host, at, bank) VALUES (?, ?, ?)
      ON CONFLICT (host) DO UPDATE SET at = excluded.at, bank = excluded.bank`,
      [unit.fence.host, unit.at, unit.bank]
    )
    yield* ask(
      connection,
      `DELETE FROM bank WHERE (SELECT h.state FROM host h WHERE h.host = bank.host) <> 'live'`
    )
  }
  if (unit.undelivered !== null) yield* writeMessages(connection, unit.undelivered)
  for (const { at, failures, opened_at, probe_at, state, workflow_type } of unit.breakers)
    yield* ask(
      connection,
      `INSERT INTO breaker (workflow_type, state, opened_at, probe_at, failures, at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (workflow_type) DO UPDATE SET state = excluded.state, opened_at = excluded.opened_at, probe_at = excluded.probe_at,
        failures = excluded.failures, at = excluded.at`,
      [workflow_type, state, opened_at, probe_at, failures, at]
    )
})

/** Runs inside a transaction; answers the plan beside the answer, for when the transaction stands. */
export const commit = Effect.fnUntraced(function* (
  connection: Connection,
  names: Names,
  inHand: RowsInHand,
  unit: CommitRows
) {
  for (const { origin } of unit.inserts) names.workflow(origin.workflow_type)
  if (names.incomplete) yield* names.learn(connection)
  const world = yield* readWorld(connection, unit, names, inHand)

  let plan = new CommitPlan(unit, world, names)
  if (plan.refusal?._tag === "Stale")
    return yield* new StoreStale({ operation: "commit", detail: plan.refusal.detail })
  if (plan.refusal !== undefined)
    return yield* new StoreBroken({ operation: "commit", detail: plan.refusal.detail, refused: true })
  if (names.incomplete) {
    yield* names.learn(connection)
    plan = new CommitPlan(unit, world, names)
  }

  for (const { by, job } of plan.superseded)
    yield* ask(connection, `UPDATE job_origin SET superseded_by = ? WHERE seq = ?`, [by, job.seq])
  yield* write(connection, writeOrigins, plan.origins)
  yield* write(connection, writeState, plan.states)
  yield* write(connection, writeEndings, plan.endings)
  yield* write(connection, writeEvents, plan.events)
  yield* write(connection, writeRetries, plan.retries)
  yield* write(connection, writeLetters, plan.letters)
  yield* write(connection, writeMarkers, plan.markers)
  yield* write(connection, writeTally, plan.tally)
  yield* writeRare(connection, unit, plan)
  const intents = yield* Effect.forEach(unit.intents, (intent) => writeIntent(connection, intent))

  const { horizon, last_ending, last_event, last_job, letters } = plan.counters
  yield* promote(connection, horizon)
  yield* ask(
    connection,
    `UPDATE store SET last_job = ?, last_event = ?, last_ending = ?, letters = ?, horizon = ?`,
    [last_job, last_event, last_ending, letters, horizon]
  )
  if (unit.fence !== null)
    yield* ask(connection, `UPDATE host SET turn = ? WHERE host = ?`, [unit.fence.turn, unit.fence.host])

  const { inserted, lost } = plan
  const committed: CommittedRows = { inserted, lost, intents, sequence: last_event }
  return { committed, plan }
})
