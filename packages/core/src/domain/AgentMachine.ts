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

type Stay = Omit<Machine.Phase<"dispatched" | "working" | "landed" | "abandoned">, "name">

/** A recovered agent is working from its start, and passes prepare and sentinel there (R5). */
const begins = ["dispatched", "working"] as const
/** Of those that are given up too (design, "The tables"). */
const ends = ["landed", "abandoned"] as const

const stays: { readonly [P in Phase]: Stay } = {
  prepare: { states: begins, does: "makes the workspace ready" },
  sentinel: { states: begins, does: "looks whether the workspace is sound, before work is paid for" },
  work: { states: ["working"], does: "runs the agent" },
  commit: {
    states: ["working"],
    does: "keeps what the agent has brought in a marker, for this life or a later one to verify"
  },
  verify: { states: ["working"], does: "holds it against the definition of done: all gates pass" },
  land: { states: ["working"], does: "brings the verified result home, once" },
  archive: { states: ends, does: "keeps results and artifacts, before anything is torn down" },
  tombstone: { states: ends, does: "writes the record, with its disposition" },
  clean: { states: ends, does: "tears the workspace down, or names what is kept of it" }
}

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
  ],
  meanings: {
    dispatched: "has a job, an owner and a slot",
    working: "one incarnation works; what it brings is verified, then landed",
    landed: "its result is home; what it has used is still to be cleared away",
    abandoned: "its life is over: it is recovered when its job is retried, or closed with its job",
    tombstoned: "nothing is left of it but its record"
  },
  phases: phases.map((name) => ({ name, does: stays[name].does, states: stays[name].states }))
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

/** How a tombstone says that a job's work ended. */
export const dispositions = ["landed", "quarantined", "discarded"] as const
export type Disposition = (typeof dispositions)[number]
