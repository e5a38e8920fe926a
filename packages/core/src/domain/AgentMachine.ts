/**
 * The lifecycle of an agent. Five transitions are the seed's ("Agent-orchestration model"); `abandon` from dispatched and
 * `tombstone` from abandoned are declared extensions without which an agent could never end (design, "The tables").
 */
import * as Machine from "./Machine.ts"

const abandoned = [
  "stream_silence",
  "stalled",
  "input_required",
  "attempt_failed",
  "deadline_exceeded",
  "crashed",
  "host_lost",
  "host_shutdown",
  "landing_rejected",
  "gate_rejected",
  "rate_limited",
  "plugin_broken",
  "outcome_unknown",
  "landing_unknown",
  "cancelled"
] as const

export const AgentMachine = Machine.make({
  name: "agent",
  initial: "dispatched",
  states: ["dispatched", "working", "landed", "abandoned", "tombstoned"],
  final: ["tombstoned"],
  creation: { event: "dispatch", reasons: ["job_accepted"] },
  edges: [
    { from: "dispatched", event: "prepare", to: "working", reasons: ["prepared"] },
    {
      from: "dispatched",
      event: "abandon",
      to: "abandoned",
      reasons: ["prepare_failed", "sentinel_failed", ...abandoned]
    },
    { from: "working", event: "land", to: "landed", reasons: ["commit_verified"] },
    {
      from: "working",
      event: "abandon",
      to: "abandoned",
      reasons: ["prepare_failed", "sentinel_failed", ...abandoned]
    },
    { from: "abandoned", event: "recover", to: "working", reasons: ["recover"] },
    { from: "abandoned", event: "tombstone", to: "tombstoned", reasons: ["quarantined", "discarded"] },
    { from: "landed", event: "clean", to: "tombstoned", reasons: ["clean", "workspace_kept"] }
  ]
})

export type AgentState = (typeof AgentMachine.states)[number]
export type AgentMove = (typeof AgentMachine.edges)[number]["event"]
export type AbandonReason = (typeof abandoned)[number] | "prepare_failed" | "sentinel_failed"

/**
 * Where an abandoned agent stands (design): its incarnation is still ending, it waits for its retry, its landing has an
 * unknown outcome, or its job is over and it is being archived and cleaned.
 */
export const standings = ["ending", "waiting", "landing_unknown", "closing"] as const
export type Standing = (typeof standings)[number]

/** The named phases of an incarnation, in order; after `land` they belong to the agent's end. */
export const phases = [
  "prepare",
  "sentinel",
  "work",
  "commit",
  "verify",
  "land",
  "archive",
  "tombstone",
  "clean"
] as const
export type Phase = (typeof phases)[number]

/** How a tombstone says that a job's work ended. */
export const dispositions = ["landed", "quarantined", "discarded"] as const
export type Disposition = (typeof dispositions)[number]
