/**
 * From a submission to a new job: canonical form, size, key and fingerprint (R17, R36). Used by the fleet and by command lines that only
 * have the store.
 */
import {
  BoundedText,
  canonicalJson,
  checkSubmission,
  Idempotency,
  limits,
  type NewJob,
  PayloadTooLarge,
  PayloadTypeMismatch,
  type Submission
} from "@muster/core"
import { Effect, Result } from "effect"
import { Digest } from "effect/crypto"

/** What a submission leaves out. */
export interface SubmissionDefaults {
  /** `kind:id` of who submits. */
  readonly actor: string
  /** Epoch ms: the `run_at` of a submission without one. */
  readonly now: number
  /** Retries of the workflow, by its name; the fleet's default where it is not known. */
  readonly maxRetries: (workflowType: string) => number
}

const encoder = new TextEncoder()

/** The new job of a submission; nothing is stored yet. */
export const toNewJob = Effect.fnUntraced(function* (submission: Submission, given: SubmissionDefaults) {
  const { workflowType } = submission
  const checked = checkSubmission(submission)
  if (Result.isFailure(checked)) {
    const { detail, path } = checked.failure
    return yield* new PayloadTypeMismatch({ workflowType, subject: "submission", path, detail })
  }
  const json = BoundedText.encodeJson(submission.payload, limits.payloadBytes)
  if (Result.isFailure(json)) {
    return yield* json.failure.reason === "too_large"
      ? new PayloadTooLarge({ workflowType, limitBytes: limits.payloadBytes })
      : new PayloadTypeMismatch({ workflowType, subject: "payload", path: "", detail: json.failure.detail })
  }
  const canonical = canonicalJson(submission.payload)
  if (Result.isFailure(canonical)) {
    const { detail, path } = canonical.failure
    return yield* new PayloadTypeMismatch({ workflowType, subject: "payload", path, detail })
  }
  const digest = yield* Digest.Digest
  const hash = (text: string) => digest.digestHex(Digest.sha256, encoder.encode(text))
  const fingerprint = yield* hash(Idempotency.fingerprintMaterial(canonical.success))
  const key =
    submission.idempotencyKey ?? (yield* hash(Idempotency.keyMaterial(workflowType, canonical.success)))
  const job: NewJob = {
    workflowType,
    idempotencyKey: key,
    payloadFingerprint: fingerprint,
    payload: json.success,
    priority: submission.priority ?? 0,
    runAt: submission.runAt ?? given.now,
    maxRetries: submission.maxRetries ?? given.maxRetries(workflowType),
    correlationId: submission.correlationId ?? null,
    traceContext: submission.traceContext ?? null,
    replayOf: null,
    actor: given.actor
  }
  return job
})
