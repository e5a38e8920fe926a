/**
 * Errors that end one attempt of a job. Whether another one follows is the catalogue's decision.
 */
import { Schema } from "effect"

/** The agent's stream brought no event for the whole window (seed, `stream-silence`). */
export class StreamSilence extends Schema.TaggedError<StreamSilence>()("ORCH_RETRYABLE_STREAM_SILENCE", {
  jobId: Schema.String,
  /** How long nothing came, in milliseconds. */
  silentMillis: Schema.Finite
}) {
  override get message() {
    return `The agent of job ${this.jobId} gave no sign of life for ${this.silentMillis} ms. Let it report progress, extend its window, or raise the workflow's silence.`
  }
}

/** The agent gives signs of life and makes no progress: heartbeats alone are none (R35). */
export class AgentStalled extends Schema.TaggedError<AgentStalled>()("ORCH_RETRYABLE_STALLED", {
  jobId: Schema.String,
  /** How long it made no progress, in milliseconds. */
  idleMillis: Schema.Finite
}) {
  override get message() {
    return `The agent of job ${this.jobId} lives but has made no progress for ${this.idleMillis} ms. Let it report progress, or raise the workflow's progressWindow.`
  }
}

/** The agent has asked something, and nobody has answered in time (R35). */
export class InputRequired extends Schema.TaggedError<InputRequired>()("ORCH_INPUT_REQUIRED", {
  jobId: Schema.String,
  question: Schema.String,
  /** How long it has waited, in milliseconds. */
  waitedMillis: Schema.Finite
}) {
  override get message() {
    return `The agent of job ${this.jobId} has waited ${this.waitedMillis} ms for an answer to: ${this.question}`
  }
}

/** The agent threw something that is no contract, or its process died without an answer. */
export class AgentCrashed extends Schema.TaggedError<AgentCrashed>()("ORCH_RETRYABLE_AGENT_CRASHED", {
  jobId: Schema.String,
  detail: Schema.String,
  /** What it threw; absent where a process just died. */
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    return `The agent of job ${this.jobId} crashed: ${this.detail}. Fail with a code of your own to say what should follow.`
  }
}

/** A phase has passed its deadline. */
export class PhaseTimeout extends Schema.TaggedError<PhaseTimeout>()("ORCH_RETRYABLE_TIMEOUT", {
  jobId: Schema.String,
  /** prepare, sentinel, work, commit, verify, land, archive, tombstone or clean. */
  phase: Schema.String,
  /** The deadline, in milliseconds. */
  limitMillis: Schema.Finite
}) {
  override get message() {
    return `Job ${this.jobId} was longer than ${this.limitMillis} ms in ${this.phase}. Raise the workflow's deadline or make the phase quicker.`
  }
}

/** The sentinel found the workspace unhealthy before any work was paid for (design, "The tables"). */
export class WorkspaceUnhealthy extends Schema.TaggedError<WorkspaceUnhealthy>()(
  "ORCH_RETRYABLE_WORKSPACE_UNHEALTHY",
  {
    jobId: Schema.String,
    workspaces: Schema.String,
    /** Where it is. */
    ref: Schema.String,
    detail: Schema.String
  }
) {
  override get message() {
    return `The workspace of job ${this.jobId} (${this.workspaces}, ${this.ref}) is not fit to work in: ${this.detail}. No work was begun.`
  }
}

/** The target has moved on, and landing on its new base failed as well; the target is untouched (R27). */
export class LandingConflict extends Schema.TaggedError<LandingConflict>()(
  "ORCH_RETRYABLE_LANDING_CONFLICT",
  {
    jobId: Schema.String,
    lander: Schema.String,
    detail: Schema.String
  }
) {
  override get message() {
    return `The result of job ${this.jobId} conflicts with its target (${this.lander}): ${this.detail}. The target is untouched; the next attempt starts from the new base.`
  }
}

/** A clause of the definition of done said no; its reasons go to the next attempt (R25). */
export class GateRejected extends Schema.TaggedError<GateRejected>()("ORCH_GATE_REJECTED", {
  jobId: Schema.String,
  gate: Schema.String,
  reasons: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Gate "${this.gate}" rejects the result of job ${this.jobId}: ${this.reasons.join("; ")}.`
  }
}

/** The agent ended well but without a result where its workflow asks for one. */
export class EmptyResult extends Schema.TaggedError<EmptyResult>()("ORCH_EMPTY_RESULT", {
  jobId: Schema.String
}) {
  override get message() {
    return `The agent of job ${this.jobId} ended without a result. Let it answer with one, or let the workflow's result be optional.`
  }
}

/** Nobody could tell whether the landing happened, so nobody may repeat it (R27). */
export class LandingUnknown extends Schema.TaggedError<LandingUnknown>()("ORCH_LANDING_UNKNOWN", {
  jobId: Schema.String,
  lander: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `It is unknown whether job ${this.jobId} has landed (${this.lander}): ${this.detail}. Look at the target, then settle or replay the job.`
  }
}

/** A step was started and nobody knows whether it was done, so nobody may do it again unasked (R28). */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("ORCH_OUTCOME_UNKNOWN", {
  jobId: Schema.String,
  /** The steps in question. */
  markers: Schema.Array(Schema.String),
  detail: Schema.String
}) {
  override get message() {
    const steps = this.markers.map((marker) => `"${marker}"`).join(", ")
    return `It is unknown whether job ${this.jobId} has done ${steps}: ${this.detail}. Look at what the step writes to, then replay the job.`
  }
}
