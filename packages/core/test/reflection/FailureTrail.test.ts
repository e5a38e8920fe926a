import { assert, describe, it } from "@effect/vitest"
import type { LifecycleEvent } from "../../src/domain/LifecycleEvent.ts"
import { extended, failureOf, trail } from "../../src/domain/reflection/FailureTrail.ts"

const event = (differs: Partial<LifecycleEvent> = {}): LifecycleEvent => ({
  sequence: 1,
  eventId: "store0:1",
  jobId: "store0-1",
  correlationId: null,
  subjectKind: "job",
  event: "schedule_retry",
  fromState: "PROCESSING",
  toState: "RETRY_SCHEDULED",
  transitionReason: "retryable_error",
  errorCode: "EXT_DOWN",
  actor: "host:1",
  occurredAt: 5,
  incarnation: 1,
  detail: null,
  ...differs
})

describe("a failed attempt", () => {
  it("is a retry that was scheduled or a job that failed, once each", () => {
    const failure = { code: "EXT_DOWN", jobId: "store0-1", at: 5 }
    assert.deepStrictEqual(failureOf(event()), failure)
    assert.deepStrictEqual(failureOf(event({ event: "fail" })), failure)
    assert.deepStrictEqual(failureOf(event({ event: "reject" })), failure)
    for (const other of ["dead_letter", "complete", "cancel"])
      assert.isNull(failureOf(event({ event: other })), other)
    assert.isNull(failureOf(event({ subjectKind: "agent", event: "abandon" })))
    assert.isNull(failureOf(event({ errorCode: null })))
  })

  it("keeps its own code where the event tells of the budget", () => {
    const exhausted = { event: "fail", errorCode: "ORCH_RETRY_BUDGET_EXHAUSTED" }
    const detail = JSON.stringify({ code: "EXT_DOWN", message: "away" })
    assert.propertyVal(failureOf(event({ ...exhausted, detail })), "code", "EXT_DOWN")
    assert.propertyVal(failureOf(event({ ...exhausted, detail: "{" })), "code", "ORCH_RETRY_BUDGET_EXHAUSTED")
  })
})

describe("the trail", () => {
  it("goes on with what has come, and forgets what is old or too much", () => {
    const now = trail.windowMillis + 10
    const known = [
      { code: "A", jobId: "old", at: 10 },
      { code: "A", jobId: "young", at: 11 }
    ]
    assert.deepStrictEqual(
      extended(known, [event({ occurredAt: now })], now).map(({ jobId }) => jobId),
      ["young", "store0-1"]
    )
    const flood = Array.from({ length: trail.failures + 5 }, (_, n) =>
      event({ occurredAt: now, incarnation: n })
    )
    assert.lengthOf(extended(known, flood, now), trail.failures)
  })
})
