/**
 * The lifecycle of a job. States and names are those of the seed "Orchestrator Lifecycle Reliability";
 * `reject` and the cancels are declared extensions (design, "The tables").
 */
import * as Machine from "./Machine.ts"

/** R29: only these interrupt a job; no failure path may cancel. */
const cancelled = ["operator", "caller", "parent", "shutdown_policy"] as const

export const JobMachine = Machine.make({
  name: "job",
  initial: "PENDING",
  states: [
    "PENDING",
    "VALIDATING",
    "PROCESSING",
    "RETRY_SCHEDULED",
    "COMPLETED",
    "FAILED",
    "DEAD_LETTERED",
    "CANCELLED"
  ],
  final: ["COMPLETED", "DEAD_LETTERED", "CANCELLED"],
  creation: { event: "submit", reasons: ["submitted", "replayed"] },
  edges: [
    { from: "PENDING", event: "validate", to: "VALIDATING", reasons: ["slot_free"] },
    { from: "PENDING", event: "cancel", to: "CANCELLED", reasons: cancelled },
    { from: "VALIDATING", event: "accept", to: "PROCESSING", reasons: ["payload_valid"] },
    { from: "VALIDATING", event: "reject", to: "FAILED", reasons: ["payload_invalid", "invariant_broken"] },
    { from: "VALIDATING", event: "cancel", to: "CANCELLED", reasons: cancelled },
    { from: "PROCESSING", event: "complete", to: "COMPLETED", reasons: ["landed"] },
    {
      from: "PROCESSING",
      event: "schedule_retry",
      to: "RETRY_SCHEDULED",
      reasons: [
        "attempt_failed",
        "stream_silence",
        "stalled",
        "input_required",
        "deadline_exceeded",
        "crashed",
        "gate_rejected",
        "landing_rejected",
        "rate_limited",
        "plugin_broken",
        "outcome_unknown",
        "landing_unknown",
        "host_lost",
        "host_shutdown"
      ]
    },
    {
      from: "PROCESSING",
      event: "fail",
      to: "FAILED",
      reasons: [
        "permanent_error",
        "retry_budget_exhausted",
        "restart_budget_exhausted",
        "outcome_unknown",
        "invariant_broken"
      ]
    },
    { from: "PROCESSING", event: "cancel", to: "CANCELLED", reasons: cancelled },
    { from: "RETRY_SCHEDULED", event: "retry", to: "PROCESSING", reasons: ["due", "settled"] },
    { from: "RETRY_SCHEDULED", event: "cancel", to: "CANCELLED", reasons: cancelled },
    { from: "FAILED", event: "dead_letter", to: "DEAD_LETTERED", reasons: ["quarantined"] }
  ],
  meanings: {
    PENDING: "waits for its due time and a free slot",
    VALIDATING: "its payload is held against the schema; no job rests here",
    PROCESSING: "its agent is dispatched or working",
    RETRY_SCHEDULED: "waits for a durable instant, or for an operator's word",
    COMPLETED: "its result is home and stored",
    FAILED: "has ended badly; a dead letter follows where the policy of its code demands it",
    DEAD_LETTERED: "is quarantined with its context; a replay is a new job, linked to it",
    CANCELLED: "somebody wanted it to end; no failure ends so"
  }
})

export type JobState = (typeof JobMachine.states)[number]
export type JobMove = (typeof JobMachine.edges)[number]["event"]

/** States in which the job's story is over, FAILED without quarantine included. */
export const isOver = (state: JobState): boolean => state === "FAILED" || Machine.isFinal(JobMachine, state)
