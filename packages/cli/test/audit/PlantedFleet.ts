// Faults between jobs, of hosts, counts and wishes.
import { job, now } from "./AuditScene.ts"
import type { Planted } from "./Planted.ts"

const longAgo = `UPDATE job_state SET updated_at = 0`
const openCancel = (at: number) =>
  `INSERT INTO intent (kind, job, reason, actor, requested_at) VALUES ('cancel', 8, 'operator', 'operator:ana', ${at})`

export const fleetWide: ReadonlyArray<Planted> = [
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
