// Faults in retry logs, letters, markers and open steps.
import { event, job, row, without } from "./AuditScene.ts"
import type { Planted } from "./Planted.ts"

export const records: ReadonlyArray<Planted> = [
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

export const steps: ReadonlyArray<Planted> = [
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
