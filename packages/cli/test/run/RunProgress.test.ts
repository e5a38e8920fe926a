import { assert, describe, it } from "@effect/vitest"
import type { Job, LifecycleEvent } from "@muster/core"
import { RunProgress } from "../../src/run/RunProgress.ts"

let sequence = 0
const event = (jobId: string, over: Partial<LifecycleEvent>): LifecycleEvent => ({
  subjectKind: "job",
  event: "accept",
  fromState: null,
  toState: "PROCESSING",
  transitionReason: "payload_valid",
  errorCode: null,
  actor: "host:1",
  occurredAt: 1_000,
  incarnation: 1,
  detail: null,
  sequence: ++sequence,
  eventId: `s-e${sequence}`,
  jobId,
  correlationId: jobId,
  ...over
})

const retry = {
  event: "schedule_retry",
  toState: "RETRY_SCHEDULED",
  detail: '{"delay_ms":500,"message":"away"}'
}

const claimed = (...served: ReadonlyArray<string>) => {
  const progress = new RunProgress(new Set(served))
  const claim = (n: number, workflowType = "w") =>
    progress.claim({ jobId: `s-${n}`, workflowType, line: n, state: "PENDING", dueAt: 0 }, 0)
  return { progress, claim }
}

/** A row of which only the state is looked at. */
const row = (state: Job["state"]): Job => ({ state }) as Job

describe("the progress of a run", () => {
  it("follows the events of its own jobs and of no others", () => {
    const { claim, progress } = claimed("w")
    claim(1)
    assert.isUndefined(progress.observe(event("s-9", {})))
    assert.strictEqual(progress.observe(event("s-1", {}))?.state, "PROCESSING")
    assert.deepInclude(progress.counts, { total: 1, working: 1, waiting: 0 })
  })

  it("counts a retry against the job only when its reason does", () => {
    const { claim, progress } = claimed("w")
    const job = claim(1)
    progress.observe(event("s-1", { ...retry, transitionReason: "host_shutdown" }))
    assert.deepStrictEqual([job.attempt, progress.retries], [1, 0])
    progress.observe(event("s-1", { ...retry, transitionReason: "attempt_failed" }))
    assert.deepStrictEqual([job.attempt, progress.retries, job.message, job.dueAt], [2, 1, "away", 1_500])
  })

  it("waits for the agent's tombstone, and for the store's word", () => {
    const { claim, progress } = claimed("w")
    const job = claim(1)
    progress.observe(event("s-1", { subjectKind: "agent", event: "dispatch", toState: "dispatched" }))
    progress.observe(event("s-1", { event: "complete", toState: "COMPLETED" }))
    assert.isFalse(progress.looksOver(job))
    progress.observe(event("s-1", { subjectKind: "agent", event: "clean", toState: "tombstoned" }))
    assert.isTrue(progress.looksOver(job))
    assert.strictEqual(progress.waiting, 1)
    assert.isTrue(progress.end(job, row("COMPLETED")))
    assert.strictEqual(progress.waiting, 0)
    assert.isFalse(progress.end(job, row("COMPLETED")), "it ends once")
  })

  it("goes on waiting at FAILED while the store has the dead letter already", () => {
    const { claim, progress } = claimed("w")
    const job = claim(1)
    progress.observe(event("s-1", { event: "reject", toState: "FAILED" }))
    assert.isFalse(progress.end(job, row("DEAD_LETTERED")))
    progress.observe(event("s-1", { event: "dead_letter", toState: "DEAD_LETTERED" }))
    assert.isTrue(progress.end(job, row("DEAD_LETTERED")))
  })

  it("has one job for two lines that ask for it, and waits for none that is not served", () => {
    const { claim, progress } = claimed("w")
    assert.strictEqual(claim(1), claim(1))
    claim(2, "elsewhere")
    assert.deepStrictEqual([progress.size, progress.waiting, progress.counts.total], [2, 1, 1])
  })
})
