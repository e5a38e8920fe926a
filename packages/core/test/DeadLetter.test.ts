import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { DeadLetter, deadLetterId, type EnvelopeContext, replayable } from "../src/domain/DeadLetter.ts"

const source = { jobId: "s-1", deadLetterId: deadLetterId("s-1"), replayEligible: true }
const whole: EnvelopeContext = {
  workflowType: "review",
  idempotencyKey: "k",
  correlationId: "s-1",
  payload: "{}",
  traced: false,
  traceContext: null
}

describe("DeadLetter", () => {
  it("has the seed's fields in JSON, who has replayed it, and when it was discarded", () => {
    const letter = DeadLetter.make({
      deadLetterId: "dlq:s-1",
      jobId: "s-1",
      correlationId: "s-1",
      finalState: "PROCESSING",
      failureErrorCode: "EXT_DOWN",
      failureSummary: "it was down",
      retryHistory: [
        { attempt: 1, error_code: "EXT_DOWN", burned: true, delay_ms: 1_000, next_at: "b", at: "a" }
      ],
      payloadSnapshotRef: "payload:s-1",
      quarantinedAt: "2030-01-01T00:00:00.000Z",
      replayEligible: true,
      replayedBy: null,
      discardedAt: null
    })
    const json = Schema.encodeSync(DeadLetter)(letter)
    assert.hasAllKeys(json, [
      "dead_letter_id",
      "job_id",
      "correlation_id",
      "final_state",
      "failure_error_code",
      "failure_summary",
      "retry_history",
      "payload_snapshot_ref",
      "quarantined_at",
      "replay_eligible",
      "replayed_by",
      "discarded_at"
    ])
    assert.deepStrictEqual(Schema.decodeUnknownSync(DeadLetter)(JSON.parse(JSON.stringify(json))), letter)
  })
})

describe("replayable", () => {
  it("takes an eligible job whose context is whole, traced or not", () => {
    assert.isTrue(Result.isSuccess(replayable(source, whole)))
    assert.isTrue(Result.isSuccess(replayable({ ...source, deadLetterId: null }, whole)))
    assert.isTrue(Result.isSuccess(replayable(source, { ...whole, traced: true, traceContext: "00-…" })))
  })

  it("names each part that is gone", () => {
    const gone = { ...whole, payload: null, correlationId: null, traced: true }
    const error = Result.getOrThrow(Result.flip(replayable(source, gone)))
    assert.strictEqual(error._tag, "ORCH_REPLAY_CONTEXT_MISSING")
    assert.deepStrictEqual(error.missing, ["correlation_id", "payload", "trace_context"])
    assert.include(error.message, "correlation_id, payload, trace_context")
  })

  it("asks for the operator's consent where the letter forbids it", () => {
    const error = Result.getOrThrow(Result.flip(replayable({ ...source, replayEligible: false }, whole)))
    assert.deepStrictEqual(error.missing, ["replay_eligible"])
    assert.include(error.message, "dlq allow")
  })
})
