// A fault for each rule of the audit, planted below the store.
import type { AuditRule, AuditSeverity } from "@muster/core"
import {
  agent,
  as,
  disposition,
  event,
  type JobName,
  job,
  now,
  phase,
  row,
  standing,
  without
} from "./AuditScene.ts"

export interface Planted {
  readonly rule: AuditRule["id"]
  /** What is planted, for the test's name. */
  readonly fault: string
  /** The job or agent that is named; else the subject's text without the store's id. */
  readonly subject: JobName | { readonly text: string } | { readonly agentOf: JobName }
  readonly severity?: AuditSeverity
  readonly statements: ReadonlyArray<string>
  /** What else can't but be found. */
  readonly also?: ReadonlyArray<AuditRule["id"]>
}

const anotherHost = `INSERT INTO host (epoch, turn, beat, beat_at, enlisted_at, state, identity) VALUES (99, 0, 0, ${now}, 0, 'live', '{}')`
const fenced = `UPDATE host SET state = 'fenced', beat_at = 0`
const longAgo = `UPDATE job_state SET updated_at = 0`
const openCancel = (at: number) =>
  `INSERT INTO intent (kind, job, reason, actor, requested_at) VALUES ('cancel', 8, 'operator', 'operator:ana', ${at})`

const rows: ReadonlyArray<Planted> = [
  {
    rule: "undecodable-row",
    fault: "a state of no table",
    subject: "pending",
    statements: [row("pending", "state = 99")]
  },
  {
    rule: "validating-at-rest",
    fault: "a job in VALIDATING",
    subject: "pending",
    statements: [
      row("pending", `state = ${job("VALIDATING")}`),
      `UPDATE tally SET count = count - 1 WHERE state = ${job("PENDING")}`,
      `INSERT INTO tally VALUES (1, ${job("VALIDATING")}, 1) ON CONFLICT DO UPDATE SET count = count + 1`
    ],
    also: ["chain-end"]
  },
  {
    rule: "job-agent-mismatch",
    fault: "a job at work whose agent is abandoned",
    subject: "working",
    statements: [row("working", `agent_state = ${agent("abandoned")}, standing = ${standing("ending")}`)],
    also: ["chain-end"]
  },
  {
    rule: "job-agent-mismatch",
    fault: "a waiting job whose agent works",
    subject: "retrying",
    statements: [
      row(
        "retrying",
        `agent_state = ${agent("working")}, standing = NULL, phase = ${phase("work")}, owner_host = 1, owner_epoch = 1`
      )
    ],
    also: ["chain-end", "waiting-owned"]
  },
  {
    rule: "owner-missing",
    fault: "a job at work that nobody owns",
    subject: { agentOf: "working" },
    statements: [row("working", "owner_host = NULL, owner_epoch = NULL")]
  },
  {
    rule: "owner-unknown",
    fault: "an owner that never enlisted",
    subject: { agentOf: "working" },
    statements: [row("working", "owner_host = 77, owner_epoch = 77")]
  },
  {
    rule: "owner-unknown",
    fault: "a host under an epoch that it never had",
    subject: { agentOf: "working" },
    statements: [row("working", "owner_epoch = 2")]
  },
  {
    rule: "waiting-owned",
    fault: "a waiting job with an owner",
    subject: "retrying",
    statements: [row("retrying", "owner_host = 1, owner_epoch = 1")]
  },
  {
    rule: "retry-unreachable",
    fault: "a waiting job whose agent is being closed",
    subject: "retrying",
    statements: [row("retrying", `standing = ${standing("closing")}`)]
  },
  {
    rule: "adoption-owed",
    fault: "work of a fenced host, with no host to adopt it",
    severity: "note",
    subject: { agentOf: "working" },
    statements: [fenced]
  },
  {
    rule: "adoption-owed",
    fault: "work of a fenced host, long after another has enlisted",
    subject: { agentOf: "working" },
    statements: [fenced, longAgo, anotherHost]
  },
  {
    rule: "adoption-owed",
    fault: "a landed agent that nobody cleans up after",
    subject: { agentOf: "plain" },
    statements: [
      ...without("plain", "clean"),
      row("plain", `agent_state = ${agent("landed")}, disposition = NULL, updated_at = 0`),
      "UPDATE host SET enlisted_at = 0"
    ]
  },
  {
    rule: "host-silent",
    fault: "a live host without a beat",
    severity: "note",
    subject: { text: "host:1" },
    statements: ["UPDATE host SET beat_at = 0"]
  },
  {
    rule: "agent-row",
    fault: "a working agent in no phase",
    subject: { agentOf: "working" },
    statements: [row("working", "phase = NULL")]
  },
  {
    rule: "agent-row",
    fault: "an abandoned agent without a standing",
    subject: { agentOf: "retrying" },
    statements: [row("retrying", "standing = NULL")],
    also: ["retry-unreachable"]
  },
  {
    rule: "incarnation",
    fault: "a row that is a life behind its events",
    subject: { agentOf: "landed" },
    statements: [row("landed", "incarnation = 1")]
  },
  {
    rule: "not-tombstoned",
    fault: "an owned agent in no phase, its job completed",
    subject: { agentOf: "plain" },
    statements: [
      ...without("plain", "clean"),
      row("plain", `agent_state = ${agent("landed")}, disposition = NULL, owner_host = 1, owner_epoch = 1`)
    ]
  },
  {
    rule: "not-tombstoned",
    fault: "an agent that waits though its job is dead",
    subject: { agentOf: "exhausted" },
    statements: [
      ...without("exhausted", "tombstone"),
      row(
        "exhausted",
        `agent_state = ${agent("abandoned")}, standing = ${standing("waiting")}, disposition = NULL`
      )
    ]
  },
  {
    rule: "tombstone-held",
    fault: "a tombstone with an owner",
    subject: { agentOf: "plain" },
    statements: [row("plain", "owner_host = 1, owner_epoch = 1")]
  },
  {
    rule: "disposition",
    fault: "a completed job whose tombstone says quarantined",
    subject: { agentOf: "plain" },
    statements: [row("plain", `disposition = ${disposition("quarantined")}`)]
  },
  {
    rule: "result-missing",
    fault: "a completed job without its result",
    subject: "plain",
    statements: [`UPDATE job_end SET result = NULL WHERE job = 8`]
  },
  {
    rule: "result-misplaced",
    fault: "a cancelled job with a result",
    subject: "cancelled",
    statements: [`UPDATE job_end SET result = '1' WHERE job = 6`]
  }
]

const chains: ReadonlyArray<Planted> = [
  {
    rule: "two-completions",
    fault: "a second completion",
    subject: "plain",
    statements: [
      `INSERT INTO event (sequence, job, move, actor, occurred_at, incarnation)
        SELECT (SELECT max(sequence) + 1 FROM event), job, move, actor, occurred_at, incarnation FROM event WHERE sequence = ${event("plain", "complete")}`,
      "UPDATE store SET last_event = last_event + 1"
    ],
    also: ["event-stray"]
  },
  {
    rule: "chain-start",
    fault: "a job without its creation",
    subject: "plain",
    statements: without("plain", "submit")
  },
  {
    rule: "chain-start",
    fault: "an agent without its creation",
    subject: { agentOf: "plain" },
    statements: without("plain", "dispatch")
  },
  {
    rule: "chain-gap",
    fault: "a chain that lacks a move",
    subject: "plain",
    statements: without("plain", "accept")
  },
  {
    rule: "chain-end",
    fault: "an agent without its last move",
    subject: { agentOf: "plain" },
    statements: without("plain", "clean")
  },
  {
    rule: "move-illegal",
    fault: "a move for a reason of no vocabulary",
    subject: "plain",
    statements: as("plain", "complete", { reason: "whim" })
  },
  {
    rule: "time-backwards",
    fault: "an event before the one before it",
    subject: "plain",
    statements: [`UPDATE event SET occurred_at = 0 WHERE sequence = ${event("plain", "complete")}`]
  },
  {
    rule: "event-bare",
    fault: "an event without a reason",
    subject: { text: "event" },
    statements: as("plain", "complete", { reason: "" }),
    also: ["move-illegal"]
  },
  {
    rule: "event-bare",
    fault: "an event without an actor",
    subject: { text: "event" },
    statements: [`UPDATE event SET actor = 4711 WHERE sequence = ${event("plain", "complete")}`]
  },
  {
    rule: "event-bare",
    fault: "an event whose actor has no id",
    subject: { text: "event" },
    statements: [
      "INSERT INTO actor (name) VALUES ('somebody')",
      `UPDATE event SET actor = (SELECT max(actor) FROM actor) WHERE sequence = ${event("plain", "complete")}`
    ]
  },
  {
    rule: "event-bare",
    fault: "an event without a time",
    subject: { text: "event" },
    statements: [
      // the same table without its constraints
      "CREATE TABLE loose AS SELECT * FROM event",
      "DROP TABLE event",
      "PRAGMA legacy_alter_table = ON",
      "ALTER TABLE loose RENAME TO event",
      `UPDATE event SET occurred_at = NULL WHERE sequence = ${event("plain", "complete")}`
    ]
  },
  {
    rule: "event-stray",
    fault: "an event that no chain reaches",
    subject: "plain",
    statements: [
      `INSERT INTO event (sequence, job, move, actor, occurred_at, incarnation)
        SELECT (SELECT max(sequence) + 1 FROM event), job, move, actor, occurred_at, incarnation FROM event WHERE sequence = ${event("plain", "accept")}`,
      "UPDATE store SET last_event = last_event + 1"
    ]
  },
  {
    rule: "event-stray",
    fault: "an event of a job that isn't there",
    subject: { text: "job:999" },
    statements: [
      `INSERT INTO event (sequence, job, move, actor, occurred_at, incarnation)
        SELECT (SELECT max(sequence) + 1 FROM event), 999, move, actor, occurred_at, incarnation FROM event WHERE sequence = ${event("plain", "accept")}`,
      "UPDATE store SET last_event = last_event + 1"
    ]
  }
]

const records: ReadonlyArray<Planted> = [
  {
    rule: "record-stray",
    fault: "a retry of a job that isn't there",
    subject: { text: "job:999" },
    statements: ["UPDATE retry SET job = 999 WHERE job = 4", row("retrying", "retry_count = 0")],
    also: ["retry-log"]
  },
  {
    rule: "record-stray",
    fault: "a marker of a job that isn't there",
    subject: { text: "job:999" },
    statements: [
      `INSERT INTO marker (job, name, state, incarnation, at) VALUES (999, 'commit', 'started', 1, 0)`
    ]
  },
  {
    rule: "retry-count",
    fault: "a retry_count that the log denies",
    subject: "retrying",
    statements: [row("retrying", "retry_count = 0")]
  },
  {
    rule: "retry-count",
    fault: "a retry that says another attempt",
    subject: "retrying",
    statements: ["UPDATE retry SET attempt = 2 WHERE job = 4"]
  },
  {
    rule: "retry-log",
    fault: "a scheduled retry without its row",
    subject: "retrying",
    statements: ["DELETE FROM retry WHERE job = 4", row("retrying", "retry_count = 0")]
  },
  {
    rule: "retry-log",
    fault: "a row for another code than its event",
    subject: "retrying",
    statements: ["UPDATE retry SET error_code = 'EXT_OTHER' WHERE job = 4"]
  },
  {
    rule: "retry-delay",
    fault: "a retry that waits too short",
    subject: "retrying",
    statements: ["UPDATE retry SET delay_ms = 700, next_at = at + 700 WHERE job = 4"]
  },
  {
    rule: "retry-delay",
    fault: "a first retry that waits as long as a second",
    subject: "retrying",
    statements: [
      "UPDATE retry SET delay_ms = 2000, next_at = at + 2000 WHERE job = 4",
      row("retrying", "run_at = run_at + 2000")
    ]
  },
  {
    rule: "retry-delay",
    fault: "a retry that is due at another time than its delay says",
    subject: "retrying",
    statements: ["UPDATE retry SET next_at = next_at - 1 WHERE job = 4"]
  },
  {
    rule: "retry-early",
    fault: "a waiting job that is due before its retry",
    subject: "retrying",
    statements: [row("retrying", "run_at = run_at - 1")]
  },
  {
    rule: "retry-early",
    fault: "a retry that has started before it was due",
    subject: "landed",
    statements: [
      `UPDATE event SET occurred_at = (SELECT next_at - 1 FROM retry WHERE job = 1) WHERE sequence = ${event("landed", "retry")}`
    ]
  },
  {
    rule: "retry-permanent",
    fault: "a retry of a permanent code",
    subject: "retrying",
    statements: [
      "UPDATE retry SET error_code = 'DQ_BAD' WHERE job = 4",
      `UPDATE event SET error_code = 'DQ_BAD' WHERE sequence = ${event("retrying", "schedule_retry")}`
    ]
  },
  {
    rule: "retry-over-budget",
    fault: "a retry that the job's budget doesn't allow",
    subject: "retrying",
    statements: ["UPDATE job_origin SET max_retries = 0 WHERE seq = 4"]
  },
  {
    rule: "letter-missing",
    fault: "a dead job without its letter",
    subject: "exhausted",
    statements: ["DELETE FROM letter WHERE job = 7", "UPDATE store SET letters = letters - 1"]
  },
  {
    rule: "letter-missing",
    fault: "a job that rests in FAILED though its budget is exhausted",
    subject: "exhausted",
    statements: [
      "DELETE FROM letter WHERE job = 7",
      "UPDATE store SET letters = letters - 1",
      ...without("exhausted", "dead_letter"),
      row("exhausted", `state = ${job("FAILED")}`),
      `UPDATE tally SET count = count - 1 WHERE state = ${job("DEAD_LETTERED")}`,
      `INSERT INTO tally VALUES (1, ${job("FAILED")}, 1) ON CONFLICT DO UPDATE SET count = count + 1`
    ]
  },
  {
    rule: "letter-context",
    fault: "a letter that doesn't say what happened",
    subject: "exhausted",
    statements: ["UPDATE letter SET failure_summary = '' WHERE job = 7"]
  },
  {
    rule: "letter-context",
    fault: "a letter whose payload is gone",
    subject: "exhausted",
    statements: ["UPDATE job_origin SET payload = '' WHERE seq = 7"]
  },
  {
    rule: "letter-context",
    fault: "a letter that names another code than its job",
    subject: "exhausted",
    statements: ["UPDATE letter SET failure_error_code = 'EXT_OTHER' WHERE job = 7"]
  },
  {
    rule: "letter-misplaced",
    fault: "a letter of a job that waits",
    subject: "pending",
    statements: [
      `INSERT INTO letter (job, final_state, failure_error_code, failure_summary, quarantined_at, replay_eligible)
        VALUES (5, 'FAILED', 'EXT_AWAY', 'not now', 0, 1)`,
      "UPDATE store SET letters = letters + 1"
    ]
  },
  {
    rule: "marker-stray",
    fault: "a marker of a life that never was",
    subject: "landed",
    statements: [
      `INSERT INTO marker (job, name, state, incarnation, at, result) VALUES (1, 'commit', 'finished', 9, 0, '1')`
    ]
  }
]

const steps: ReadonlyArray<Planted> = [
  {
    rule: "marker-result",
    fault: "a finished marker without its result",
    subject: "landed",
    statements: [
      `INSERT INTO marker (job, name, state, incarnation, at) VALUES (1, 'mail', 'finished', 1, 0)`
    ]
  },
  {
    rule: "steps-differ",
    fault: "a started marker that its agent's row doesn't know of",
    subject: { agentOf: "working" },
    statements: [`INSERT INTO marker (job, name, state, incarnation, at) VALUES (3, 'mail', 'started', 1, 0)`]
  },
  {
    rule: "steps-differ",
    fault: "an open step without its marker",
    subject: { agentOf: "working" },
    statements: [row("working", `steps = '["mail"]'`)]
  },
  {
    rule: "hold-stray",
    fault: "a job at work that is parked",
    subject: "working",
    statements: [row("working", `hold = '{"kind":"outcome_unknown","markers":["mail"],"at":0}'`)]
  },
  {
    rule: "hold-stray",
    fault: "a waiting job that is parked for nothing",
    subject: "retrying",
    statements: [row("retrying", `hold = '{"kind":"outcome_unknown","markers":["mail"],"at":0}'`)]
  }
]

const fleetWide: ReadonlyArray<Planted> = [
  {
    rule: "key-shared",
    fault: "two live jobs of one key",
    subject: "plain",
    statements: [
      "DROP INDEX job_by_key",
      "UPDATE job_origin SET idempotency_key = (SELECT idempotency_key FROM job_origin WHERE seq = 5) WHERE seq = 8"
    ]
  },
  {
    rule: "replay-one-way",
    fault: "a replay that doesn't name what it replays",
    subject: "replayed",
    statements: ["UPDATE job_origin SET replay_of = NULL WHERE seq = 9"]
  },
  {
    rule: "replay-one-way",
    fault: "a replay of a job that knows nothing of it",
    subject: "replay",
    statements: ["UPDATE job_origin SET replay_of = 7 WHERE seq = 9"],
    also: ["replay-one-way"]
  },
  {
    rule: "slots-exceeded",
    fault: "more lives than slots",
    subject: { text: "host:1" },
    statements: [`INSERT INTO bank VALUES (1, 0, '{"slots":0}')`]
  },
  {
    rule: "tally-wrong",
    fault: "a count of jobs that is one too high",
    subject: { text: "store" },
    statements: [`UPDATE tally SET count = count + 1 WHERE state = ${job("PENDING")}`]
  },
  {
    rule: "tally-wrong",
    fault: "a count of letters that is one too low",
    subject: { text: "store" },
    statements: ["UPDATE store SET letters = letters - 1"]
  },
  {
    rule: "tally-wrong",
    fault: "a last event that is not the last",
    subject: { text: "store" },
    statements: ["UPDATE store SET last_event = last_event - 1"]
  },
  {
    rule: "intent-open",
    fault: "a cancel of a job that is over, just asked for",
    severity: "note",
    subject: { text: "intent" },
    statements: [openCancel(now)]
  },
  {
    rule: "intent-open",
    fault: "a cancel of a job that is over, for which a host had time",
    subject: { text: "intent" },
    statements: [openCancel(0), longAgo, "UPDATE host SET enlisted_at = 0"]
  }
]

export const planted = [...rows, ...chains, ...records, ...steps, ...fleetWide]
