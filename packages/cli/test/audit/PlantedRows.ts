// Faults in the rows of jobs and agents.
import { agent, disposition, job, now, phase, row, standing, without } from "./AuditScene.ts"
import type { Planted } from "./Planted.ts"

const anotherHost = `INSERT INTO host (epoch, turn, beat, beat_at, enlisted_at, state, identity) VALUES (99, 0, 0, ${now}, 0, 'live', '{}')`
const fenced = `UPDATE host SET state = 'fenced', beat_at = 0`
const longAgo = `UPDATE job_state SET updated_at = 0`

export const rows: ReadonlyArray<Planted> = [
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
