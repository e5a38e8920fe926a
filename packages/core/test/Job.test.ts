import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Agent, agentId, holdsSlot } from "../src/domain/Agent.ts"
import { AgentMachine, phases, standings } from "../src/domain/AgentMachine.ts"
import { envelope, isoInstant, isRunnable, type Job, JobEnvelope, jobId, seqOf } from "../src/domain/Job.ts"
import { JobMachine } from "../src/domain/JobMachine.ts"

const agent: Agent = {
  state: "working",
  incarnation: 2,
  owner: { host: 1, epoch: 4 },
  standing: null,
  phase: "work",
  hung: false,
  restarts: [],
  steps: [],
  workspace: null,
  disposition: null
}
const job: Job = {
  seq: 17,
  jobId: "k3f9qx-17",
  version: 3,
  workflowType: "review",
  idempotencyKey: "key",
  payloadFingerprint: "aa",
  state: "PROCESSING",
  priority: 5,
  runAt: 1_000,
  createdAt: 0,
  updatedAt: 61_001,
  retryCount: 1,
  maxRetries: 4,
  lastErrorCode: "EXT_A",
  correlationId: "k3f9qx-2",
  traceContext: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  replayOf: 2,
  supersededBy: null,
  hold: null,
  agent
}
const waiting: Agent = { ...agent, state: "abandoned", owner: null, standing: "waiting", phase: null }

describe("envelope", () => {
  it("shows the seed's fields under the seed's names, and nothing of the agent but its id", () => {
    assert.deepStrictEqual(envelope(job), {
      job_id: "k3f9qx-17",
      correlation_id: "k3f9qx-2",
      idempotency_key: "key",
      workflow_type: "review",
      current_state: "PROCESSING",
      created_at: "1970-01-01T00:00:00.000Z",
      updated_at: "1970-01-01T00:01:01.001Z",
      retry_count: 1,
      max_retries: 4,
      last_error_code: "EXT_A",
      owner_agent: "agent:k3f9qx-17",
      trace_context: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      payload_fingerprint: "aa",
      priority: 5,
      run_at: "1970-01-01T00:00:01.000Z",
      replay_of: "k3f9qx-2"
    })
    const fresh = envelope({ ...job, state: "PENDING", replayOf: null, traceContext: null, agent: null })
    assert.deepInclude(fresh, { owner_agent: null, replay_of: null, trace_context: null })
  })

  it("fits its schema in every state", () => {
    for (const state of JobMachine.states) assert.isTrue(Schema.is(JobEnvelope)(envelope({ ...job, state })))
    assert.isFalse(Schema.is(JobEnvelope)({ ...envelope(job), current_state: "DONE" }))
  })

  it("names the replayed job in the same store, also where the store's id has hyphens", () => {
    assert.strictEqual(envelope({ ...job, jobId: "team-a-17" }).replay_of, "team-a-2")
  })
})

describe("a job's id", () => {
  it.prop(
    "is read back to its number, in full or in short, and never out of another store's id",
    [Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 999_999_999_999 }))],
    ([seq]) =>
      seqOf("k3f9qx", jobId("k3f9qx", seq)) === seq &&
      seqOf("k3f9qx", String(seq)) === seq &&
      seqOf("other", jobId("k3f9qx", seq)) === undefined
  )

  it("is no number with a sign, a leading zero, a fraction or a blank", () => {
    for (const text of [
      "",
      "0",
      "01",
      "-1",
      "1.5",
      " 1",
      "1e3",
      "k3f9qx-",
      "k3f9qx-0",
      "k3f9qx-1-1",
      "agent:1"
    ])
      assert.isUndefined(seqOf("k3f9qx", text), text)
  })

  it("gives the agent its id", () => {
    assert.strictEqual(agentId(job.jobId), "agent:k3f9qx-17")
  })
})

describe("isRunnable (R9)", () => {
  it("takes an untouched PENDING job, and a RETRY_SCHEDULED one whose agent waits for nobody", () => {
    assert.isTrue(isRunnable({ ...job, state: "PENDING", agent: null }))
    assert.isTrue(isRunnable({ ...job, state: "RETRY_SCHEDULED", agent: waiting }))
    assert.isTrue(isRunnable({ ...job, state: "RETRY_SCHEDULED", agent: null }))
  })

  it("leaves a job alone whose agent is still owned, or ending, or closing", () => {
    const owned = { ...waiting, owner: { host: 1, epoch: 1 } }
    assert.isFalse(isRunnable({ ...job, state: "RETRY_SCHEDULED", agent: owned }))
    const comesBack = new Set<string>(["waiting", "landing_unknown"])
    for (const standing of standings.filter((standing) => !comesBack.has(standing)))
      assert.isFalse(isRunnable({ ...job, state: "RETRY_SCHEDULED", agent: { ...waiting, standing } }))
  })

  it("leaves a parked job alone until an operator settles it (R28)", () => {
    const hold = '{"step":"comment"}'
    assert.isFalse(isRunnable({ ...job, state: "RETRY_SCHEDULED", agent: waiting, hold }))
    assert.isFalse(isRunnable({ ...job, state: "PENDING", agent: null, hold }))
  })

  it("leaves every other state alone", () => {
    for (const state of JobMachine.states) {
      if (state === "PENDING" || state === "RETRY_SCHEDULED") continue
      for (const agent of [null, waiting]) assert.isFalse(isRunnable({ ...job, state, agent }), state)
    }
  })
})

describe("holdsSlot (R4)", () => {
  it("counts an incarnation from its dispatch until its finalisers are done, in whatever state", () => {
    for (const state of AgentMachine.states) assert.isTrue(holdsSlot({ ...agent, state }), state)
    assert.isTrue(holdsSlot({ ...agent, state: "abandoned", standing: "ending" }))
  })

  it("counts no archive and no clean, no hung life, none that nobody owns and none without a phase (R30)", () => {
    const counted = phases.filter((phase) => holdsSlot({ ...agent, phase }))
    assert.deepStrictEqual(counted, ["prepare", "sentinel", "work", "commit", "verify", "land", "tombstone"])
    assert.isFalse(holdsSlot({ ...agent, hung: true }))
    assert.isFalse(holdsSlot({ ...agent, owner: null }))
    assert.isFalse(holdsSlot({ ...agent, phase: null }))
  })
})

describe("isoInstant", () => {
  it("writes epoch milliseconds in UTC", () => {
    assert.strictEqual(isoInstant(1_735_689_599_999), "2024-12-31T23:59:59.999Z")
  })
})
