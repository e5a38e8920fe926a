import { assert, describe, it } from "@effect/vitest"
import { changed, commands, compiled, env, left, moves, now, pending, self, turn, waiting } from "./Scene.ts"

describe("refill", () => {
  it("validates, accepts and dispatches in one change of a job that was untouched until then (R1, R9)", () => {
    const job = pending("workspace")
    const draft = turn([], [], { peek: [job] })
    assert.deepStrictEqual(moves(draft), [
      "job PENDING validate VALIDATING slot_free",
      "job VALIDATING accept PROCESSING payload_valid",
      "agent - dispatch dispatched job_accepted"
    ])
    assert.deepInclude(changed(draft), { version: 1, contested: true, retry: null, letter: null })
    assert.deepInclude(left(draft).job, { version: 2, state: "PROCESSING", updatedAt: now })
    assert.deepStrictEqual(left(draft).agent, {
      state: "dispatched",
      incarnation: 1,
      owner: self,
      standing: null,
      phase: "prepare",
      hung: false,
      restarts: [],
      steps: [],
      workspace: null,
      disposition: null
    })
    assert.deepStrictEqual(draft.commands, [
      { _tag: "Prepare", job: left(draft).job, payload: { path: "a" }, payloadJson: '{"path":"a"}' }
    ])
    assert.strictEqual(draft.owned.get(1), left(draft).job)
  })

  it("starts the work in the same change where there is no workspace to prepare (a phase without a plugin writes nothing)", () => {
    const draft = turn([], [], { peek: [pending()] })
    assert.deepStrictEqual(moves(draft).slice(2), [
      "agent - dispatch dispatched job_accepted",
      "agent dispatched prepare working prepared"
    ])
    assert.deepInclude(left(draft).agent, { state: "working", phase: "work", incarnation: 1 })
    assert.deepInclude(left(draft).job, { version: 2 })
    assert.deepStrictEqual(draft.commands, [
      { _tag: "Begin", job: left(draft).job, payload: { path: "a" }, payloadJson: '{"path":"a"}' }
    ])
  })

  it("rejects a payload that doesn't fit, quarantines the job and says where, all in one change and without an agent (R3)", () => {
    const draft = turn([], [], { peek: [pending()], payload: '"misfit"' })
    assert.deepStrictEqual(moves(draft), [
      "job PENDING validate VALIDATING slot_free",
      "job VALIDATING reject FAILED payload_invalid CONTRACT_PAYLOAD_TYPE_MISMATCH",
      "job FAILED dead_letter DEAD_LETTERED quarantined CONTRACT_PAYLOAD_TYPE_MISMATCH"
    ])
    const { job, letter } = changed(draft)
    assert.deepInclude(job, {
      version: 2,
      state: "DEAD_LETTERED",
      agent: null,
      lastErrorCode: "CONTRACT_PAYLOAD_TYPE_MISMATCH",
      retryCount: 0
    })
    assert.deepInclude(letter, {
      finalState: "FAILED",
      failureErrorCode: "CONTRACT_PAYLOAD_TYPE_MISMATCH",
      quarantinedAt: now,
      replayEligible: true
    })
    assert.include(letter?.failureSummary, '["path"]')
    assert.deepStrictEqual(draft.commands, [])
    assert.strictEqual(draft.owned.size, 0)
  })

  it("leaves a rejected job FAILED where its code's row asks for no quarantine (R3)", async () => {
    const catalogue = await compiled([{ code: "CONTRACT_*", quarantine: false }])
    const draft = turn([], [], { peek: [pending()], payload: '"misfit"', env: { catalogue } })
    assert.strictEqual(moves(draft).length, 2)
    assert.deepInclude(changed(draft), { letter: null })
    assert.strictEqual(changed(draft).job.state, "FAILED")
  })

  it("recovers a waiting job as the next incarnation, working from its start and with the same workspace, and through prepare again (R5)", () => {
    const job = waiting("workspace", { incarnation: 3, workspace: "/w/1", restarts: [5] })
    const draft = turn([], [], { peek: [job] })
    assert.deepStrictEqual(moves(draft), [
      "job RETRY_SCHEDULED retry PROCESSING due",
      "agent abandoned recover working recover"
    ])
    assert.deepInclude(changed(draft), { version: 3, contested: true })
    assert.deepStrictEqual(left(draft).agent, {
      state: "working",
      incarnation: 4,
      owner: self,
      standing: null,
      phase: "prepare",
      hung: false,
      restarts: [5],
      steps: [],
      workspace: "/w/1",
      disposition: null
    })
    assert.deepStrictEqual(commands(draft), ["Prepare 1"])
    assert.strictEqual(changed(draft).events[1]?.incarnation, 4)
  })

  it("recovers straight into the work where there is no workspace, and writes no second prepare", () => {
    const draft = turn([], [], { peek: [waiting()] })
    assert.strictEqual(moves(draft).length, 2)
    assert.deepInclude(left(draft).agent, { state: "working", phase: "work", incarnation: 2 })
    assert.deepStrictEqual(commands(draft), ["Begin 1"])
  })

  it("gives the incarnation after a hung one another workspace (R5)", () => {
    const draft = turn([], [], { peek: [waiting("workspace", { hung: true, workspace: "/w/1" })] })
    assert.deepInclude(left(draft).agent, { workspace: null, hung: false, incarnation: 2, phase: "prepare" })
  })

  it("ends a job whose payload no longer fits when its retry is due, and closes its agent", () => {
    const draft = turn([], [], { peek: [waiting()], payload: '"misfit"' })
    assert.deepStrictEqual(moves(draft), [
      "job RETRY_SCHEDULED retry PROCESSING due",
      "agent abandoned recover working recover",
      "job PROCESSING fail FAILED permanent_error CONTRACT_PAYLOAD_TYPE_MISMATCH",
      "job FAILED dead_letter DEAD_LETTERED quarantined CONTRACT_PAYLOAD_TYPE_MISMATCH",
      "agent working abandon abandoned attempt_failed CONTRACT_PAYLOAD_TYPE_MISMATCH",
      "agent abandoned tombstone tombstoned quarantined"
    ])
    assert.deepInclude(left(draft).agent, { state: "tombstoned", owner: null, disposition: "quarantined" })
    assert.deepStrictEqual(commands(draft), ["Forget 1"])
  })

  it("archives the workspace of such a job before its tombstone", () => {
    const peek = [waiting("workspace", { workspace: "/w/1" })]
    const draft = turn([], [], { peek, payload: '"misfit"' })
    assert.deepInclude(left(draft).agent, { state: "abandoned", standing: "closing", phase: "archive" })
    assert.deepStrictEqual(commands(draft), ["Archive 1"])
  })

  it("walks a damaged job, waiting without an agent, along the legal edges to its letter (R18)", () => {
    const draft = turn([], [], { peek: [waiting("plain", {}, { agent: null })] })
    assert.deepStrictEqual(moves(draft), [
      "job RETRY_SCHEDULED retry PROCESSING due",
      "job PROCESSING fail FAILED invariant_broken ORCH_STATE_MACHINE_INVARIANT_BROKEN",
      "job FAILED dead_letter DEAD_LETTERED quarantined ORCH_STATE_MACHINE_INVARIANT_BROKEN"
    ])
    assert.deepInclude(changed(draft).letter, { replayEligible: false })
    assert.deepStrictEqual(draft.commands, [])
  })

  it("takes no job of a workflow that this host doesn't serve (R23)", () => {
    const draft = turn([], [], { peek: [pending("elsewhere")] })
    assert.strictEqual(draft.changes.size, 0)
    assert.deepStrictEqual(draft.commands, [])
  })

  it("takes no job without a host, and none that this turn has moved already", () => {
    assert.strictEqual(turn([], [], { peek: [pending()], env: { owner: null } }).changes.size, 0)
    const twice = turn([], [], { peek: [pending(), pending()] })
    assert.strictEqual(moves(twice).length, 4)
    assert.deepStrictEqual(commands(twice), ["Begin 1"])
  })

  it("keeps priority, arrival and due time of what it takes (R7)", () => {
    const job = waiting("plain", {}, { priority: 7, runAt: 12, createdAt: 3 })
    assert.deepInclude(left(turn([], [], { peek: [job] })).job, { priority: 7, runAt: 12, createdAt: 3 })
  })

  it("never writes an instant before the subject's latest one, though the clock was set back (R12)", () => {
    const draft = turn([], [], { peek: [pending("plain", { updatedAt: now + 50 })] })
    assert.isTrue(changed(draft).events.every(({ occurredAt }) => occurredAt === now + 50))
    assert.strictEqual(changed(draft).job.updatedAt, now + 50)
  })

  it("names the host as the actor of each of its moves (R12)", () => {
    for (const { actor } of changed(turn([], [], { peek: [pending()] })).events)
      assert.strictEqual(actor, env.actor)
  })
})
