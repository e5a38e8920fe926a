/**
 * The second output of the seed: how one operation stays one job, and what keeps its side effects from being done twice (R17, R28).
 */
import { limits } from "../Defaults.ts"
import { isOver, JobMachine, type JobState } from "../JobMachine.ts"
import { unknownOutcomes, type UnknownOutcome } from "../WorkflowPolicy.ts"

export interface IdempotencySpec {
  readonly key: {
    readonly default: string
    readonly own: string
    readonly unique_by: ReadonlyArray<string>
    readonly guarded_by: string
  }
  /** What a submission gets whose key a job in this state has, the payload being the same. */
  readonly same_payload: ReadonlyArray<{
    readonly state: string
    readonly answer: "stored_result" | "final_status" | "current_status"
    readonly runs_again: false
  }>
  readonly other_payload: { readonly code: string; readonly runs_again: false }
  readonly after_replay: string
  readonly side_effects: {
    readonly rule: string
    readonly key: string
    readonly max_steps: number
    readonly max_result_bytes: number
    readonly unknown_outcome: ReadonlyArray<{ readonly policy: string; readonly meaning: string }>
  }
}

const meanings: { readonly [Outcome in UnknownOutcome]: string } = {
  rerun: "the next incarnation does the step again",
  fail: "the job ends with ORCH_OUTCOME_UNKNOWN",
  ask: "the job is parked until an operator says what became of the step (muster settle)"
}

const answerIn = (state: JobState): IdempotencySpec["same_payload"][number]["answer"] =>
  state === "COMPLETED" ? "stored_result" : isOver(state) ? "final_status" : "current_status"

export const idempotencySpec = (): IdempotencySpec => ({
  key: {
    default: "SHA-256 of the workflow's name and the payload in the canonical form of RFC 8785",
    own: `the submitter's, at most ${limits.keyLength} characters`,
    unique_by: ["workflow_type", "idempotency_key"],
    guarded_by:
      "a unique index of the store over jobs that no replay has superseded, never a look before the insert"
  },
  same_payload: JobMachine.states.map((state) => ({ state, answer: answerIn(state), runs_again: false })),
  other_payload: { code: "ORCH_DUPLICATE_IDEMPOTENCY_KEY", runs_again: false },
  after_replay:
    "the key answers with the newest job of the chain; a second replay answers with the first one's job",
  side_effects: {
    rule: "a step's start is committed before its effect and its result after; a later incarnation gets the stored result",
    key: "the job's idempotency key and the step's name are handed to the effect, to be its own key outside",
    max_steps: limits.markers,
    max_result_bytes: limits.markerBytes,
    unknown_outcome: unknownOutcomes.map((policy) => ({ policy, meaning: meanings[policy] }))
  }
})
