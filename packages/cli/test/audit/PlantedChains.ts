// Faults in chains of events.
import { as, event, without } from "./AuditScene.ts"
import type { Planted } from "./Planted.ts"

export const chains: ReadonlyArray<Planted> = [
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
