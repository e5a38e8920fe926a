/**
 * What each reason of a move means, in words for people. A test holds the list against the tables, both ways.
 */

/** Completes "because …". */
export const reasonWords: Readonly<Record<string, string>> = {
  // how a job comes to be and gets its agent
  submitted: "it was submitted",
  replayed: "it replays an earlier job, with that job's whole envelope",
  slot_free: "a slot was free, and its payload was looked at",
  payload_valid: "its payload fits the schema of its workflow",
  payload_invalid: "its payload doesn't fit the schema of its workflow",
  job_accepted: "its job was accepted",
  prepared: "its workspace stands and is healthy",
  due: "its time had come",
  settled: "an operator has said what became of a step in doubt",
  recover: "it goes on with a new life",
  // how work ends well
  landed: "its result was brought home",
  commit_verified: "its work was done and has passed every gate",
  clean: "what it left was archived, and its workspace torn down",
  workspace_kept: "its workspace could not be torn down, and was kept",
  // how an attempt ends
  attempt_failed: "its agent failed with a code",
  prepare_failed: "its workspace could not be prepared",
  sentinel_failed: "its workspace was not healthy, so no work was paid for",
  stream_silence: "its agent gave no sign of life for too long",
  stalled: "its agent gave signs of life and made no progress",
  input_required: "its agent asked a question, and nobody answered in time",
  deadline_exceeded: "a phase passed its deadline",
  crashed: "its agent threw or died without a code",
  gate_rejected: "a gate has turned its result down",
  landing_rejected: "its lander met a conflict, and the target is untouched",
  rate_limited: "the outside asked for patience, which burns no attempt",
  plugin_broken: "a plugin that it needs is broken, which burns no attempt",
  outcome_unknown: "a step was begun, and nobody knows whether it was done",
  landing_unknown: "nobody knows whether its landing happened: the lander is asked first",
  host_lost: "the host that ran it is gone, which burns no attempt but counts in the restart budget",
  host_shutdown: "the host that ran it was stopped, which burns no attempt",
  cancelled: "its job was cancelled",
  // how a job ends for good
  permanent_error: "its code is permanent: trying again would end the same way",
  retry_budget_exhausted: "it has used up its attempts",
  restart_budget_exhausted: "it was recovered too often in too short a time",
  invariant_broken: "its record broke an invariant of the runtime",
  quarantined: "its failure is kept as a dead letter, with all that a replay needs",
  discarded: "nobody wants its result any more",
  operator: "an operator cancelled it",
  caller: "the program that submitted it cancelled it",
  parent: "the job that it belongs to was cancelled",
  shutdown_policy: "the policy of a shutdown cancelled it"
}

export const because = (reason: string): string => reasonWords[reason] ?? `of "${reason}"`
