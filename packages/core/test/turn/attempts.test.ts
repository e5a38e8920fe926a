import { assert, describe, it } from "@effect/vitest"
import type { Signal } from "../../src/domain/turn/Signal.ts"
import { changed, commands, compiled, failure, left, moves, now, turn, working } from "./Scene.ts"

const who = { seq: 1, incarnation: 1 }
const failed = (code: string, patch = {}, from: Partial<typeof who> = {}): Signal => ({
  _tag: "WorkFailed",
  ...who,
  ...from,
  failure: failure(code, patch)
})

describe("a failed attempt", () => {
  it("that burns moves the job to RETRY_SCHEDULED and abandons the agent in one change, and logs the retry (R1, R2)", () => {
    const draft = turn([working()], [failed("EXT_A")])
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED attempt_failed EXT_A",
      "agent working abandon abandoned attempt_failed EXT_A"
    ])
    assert.deepInclude(changed(draft), { version: 2, letter: null, contested: false })
    assert.deepInclude(left(draft).job, {
      version: 3,
      state: "RETRY_SCHEDULED",
      retryCount: 1,
      runAt: now + 1_000,
      lastErrorCode: "EXT_A"
    })
    assert.deepStrictEqual(changed(draft).retry, {
      attempt: 1,
      incarnation: 1,
      errorCode: "EXT_A",
      burned: true,
      delayMillis: 1_000,
      nextAt: now + 1_000,
      at: now,
      failure: JSON.stringify(failure("EXT_A"))
    })
  })

  it("leaves the agent waiting, owned by nobody and without a slot, and remembers its workspace", () => {
    const draft = turn([working("workspace", { workspace: "/w/1", restarts: [3] })], [failed("EXT_A")])
    assert.deepInclude(left(draft).agent, {
      state: "abandoned",
      standing: "waiting",
      owner: null,
      phase: null,
      incarnation: 1,
      workspace: "/w/1",
      restarts: [3]
    })
    assert.isFalse(draft.owned.has(1))
    assert.deepStrictEqual(commands(draft), ["Forget 1"])
  })

  it("waits longer each time, by the burned attempts and not by the incarnations", () => {
    const later = working("plain", { incarnation: 9 }, { retryCount: 1 })
    const draft = turn([later], [failed("EXT_A", {}, { incarnation: 9 })])
    assert.deepInclude(changed(draft).retry, { attempt: 2, incarnation: 9, delayMillis: 2_000 })
  })

  it("that is a crash says so (R2)", () => {
    const draft = turn([working()], [failed("ORCH_RETRYABLE_AGENT_CRASHED")])
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED crashed ORCH_RETRYABLE_AGENT_CRASHED",
      "agent working abandon abandoned crashed ORCH_RETRYABLE_AGENT_CRASHED"
    ])
  })

  it("with a hint holds the job until then and burns nothing, and the log says so (R2)", () => {
    const draft = turn(
      [working("plain", {}, { retryCount: 1 })],
      [failed("EXT_A", { retryAfterMillis: 90_000 })]
    )
    assert.strictEqual(moves(draft)[0], "job PROCESSING schedule_retry RETRY_SCHEDULED rate_limited EXT_A")
    assert.deepInclude(left(draft).job, { retryCount: 1, runAt: now + 90_000, lastErrorCode: "EXT_A" })
    assert.deepInclude(changed(draft).retry, {
      attempt: 1,
      burned: false,
      delayMillis: 90_000,
      nextAt: now + 90_000
    })
  })

  it("with a hint holds the job even when its budget is used up", () => {
    const spent = working("plain", {}, { retryCount: 2, maxRetries: 2 })
    const draft = turn([spent], [failed("EXT_A", { retryAfterMillis: 5_000 })])
    assert.strictEqual(left(draft).job.state, "RETRY_SCHEDULED")
  })

  it("that exhausts the job's budget ends in a letter with the real code, and the event says why (R3)", () => {
    const draft = turn([working("plain", {}, { retryCount: 2, maxRetries: 2 })], [failed("EXT_A")])
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING fail FAILED retry_budget_exhausted ORCH_RETRY_BUDGET_EXHAUSTED",
      "job FAILED dead_letter DEAD_LETTERED quarantined EXT_A",
      "agent working abandon abandoned attempt_failed EXT_A",
      "agent abandoned tombstone tombstoned quarantined"
    ])
    assert.deepInclude(left(draft).job, { state: "DEAD_LETTERED", lastErrorCode: "EXT_A", retryCount: 2 })
    assert.deepStrictEqual(changed(draft).letter, {
      finalState: "FAILED",
      failureErrorCode: "EXT_A",
      failureSummary: "it failed with EXT_A",
      quarantinedAt: now,
      replayEligible: true
    })
    assert.isNull(changed(draft).retry)
    assert.deepInclude(left(draft).agent, { disposition: "quarantined", owner: null, standing: null })
  })

  it("that exhausts its code's budget ends the job though the job's own is larger (R3)", () => {
    const job = working("gates", { phase: "verify" }, { retryCount: 2, maxRetries: 9 })
    const rejected = { _tag: "VerifyFailed", ...who, failure: failure("ORCH_GATE_REJECTED") } as const
    assert.strictEqual(left(turn([job], [rejected])).job.state, "DEAD_LETTERED")
    const twice = working("gates", { phase: "verify" }, { retryCount: 1, maxRetries: 9 })
    assert.strictEqual(left(turn([twice], [rejected])).job.state, "RETRY_SCHEDULED")
  })

  it("of a job that may not retry fails for good at the first one, and is a letter all the same (R3)", () => {
    const draft = turn([working("plain", {}, { maxRetries: 0 })], [failed("EXT_A")])
    assert.include(moves(draft)[0], "retry_budget_exhausted ORCH_RETRY_BUDGET_EXHAUSTED")
    assert.isNotNull(changed(draft).letter)
  })

  it("with a permanent code ends the job at once, hint or not, and says whether it may be replayed (R3, R31)", () => {
    for (const [code, replayEligible] of [
      ["DQ_STALE", true],
      ["MATH_NAN", true],
      ["CONTRACT_RESULT_TOO_LARGE", true],
      ["LEGAL_HOLD", false],
      ["NOBODY_KNOWS_ME", true]
    ] as const) {
      const draft = turn([working()], [failed(code, { retryAfterMillis: 1_000 })])
      assert.deepStrictEqual(moves(draft).slice(0, 2), [
        `job PROCESSING fail FAILED permanent_error ${code}`,
        `job FAILED dead_letter DEAD_LETTERED quarantined ${code}`
      ])
      assert.deepInclude(changed(draft).letter, { failureErrorCode: code, replayEligible })
      assert.isNull(changed(draft).retry)
    }
  })

  it("stays FAILED where its code's row wants no quarantine, and its agent is closed as quarantined (R3)", async () => {
    const catalogue = await compiled([{ code: "DQ_*", quarantine: false }])
    const draft = turn([working()], [failed("DQ_STALE")], { env: { catalogue } })
    assert.strictEqual(left(draft).job.state, "FAILED")
    assert.isNull(changed(draft).letter)
    assert.deepInclude(left(draft).agent, { state: "tombstoned", disposition: "quarantined" })
  })

  it("whose job is over is archived before its workspace is cleaned", () => {
    const draft = turn([working("workspace", { workspace: "/w/1" })], [failed("DQ_STALE")])
    assert.deepInclude(left(draft).agent, {
      state: "abandoned",
      standing: "closing",
      phase: "archive",
      workspace: "/w/1"
    })
    assert.isNotNull(left(draft).agent.owner)
    assert.deepStrictEqual(commands(draft), ["Archive 1"])
  })

  it("in prepare or sentinel counts as an attempt, is told by its phase, and keeps the workspace that was made (R2)", () => {
    for (const phase of ["prepare", "sentinel"] as const)
      for (const state of ["dispatched", "working"] as const) {
        const job = working("workspace", { state, phase: "prepare" })
        const signal: Signal = {
          _tag: "PrepareFailed",
          ...who,
          phase,
          failure: failure("EXT_A"),
          workspace: phase === "sentinel" ? "/w/1" : null
        }
        const draft = turn([job], [signal])
        assert.deepStrictEqual(moves(draft), [
          "job PROCESSING schedule_retry RETRY_SCHEDULED attempt_failed EXT_A",
          `agent ${state} abandon abandoned ${phase}_failed EXT_A`
        ])
        assert.strictEqual(left(draft).agent.workspace, phase === "sentinel" ? "/w/1" : null)
        assert.strictEqual(left(draft).job.retryCount, 1)
      }
  })

  it("in prepare forgets no workspace of an earlier incarnation", () => {
    const signal: Signal = {
      _tag: "PrepareFailed",
      ...who,
      phase: "prepare",
      failure: failure("EXT_A"),
      workspace: null
    }
    const draft = turn([working("workspace", { phase: "prepare", workspace: "/w/0" })], [signal])
    assert.strictEqual(left(draft).agent.workspace, "/w/0")
  })

  it("by a gate's rejection burns, and its reasons go to the next attempt by the retry log (R25)", () => {
    const reasons = failure("ORCH_GATE_REJECTED", { detail: '{"reasons":["2 tests fail"]}' })
    const draft = turn(
      [working("gates", { phase: "verify" })],
      [{ _tag: "VerifyFailed", ...who, failure: reasons }]
    )
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED gate_rejected ORCH_GATE_REJECTED",
      "agent working abandon abandoned gate_rejected ORCH_GATE_REJECTED"
    ])
    assert.deepInclude(changed(draft).retry, { burned: true, attempt: 1, failure: JSON.stringify(reasons) })
  })

  it("by a gate that stays broken burns nothing and turns nothing down: the gate alone is asked again (R2, R25)", () => {
    const draft = turn(
      [working("gates", { phase: "verify" })],
      [{ _tag: "VerifyFailed", ...who, failure: failure("ORCH_PLUGIN_FAILED") }]
    )
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED plugin_broken ORCH_PLUGIN_FAILED",
      "agent working abandon abandoned plugin_broken ORCH_PLUGIN_FAILED"
    ])
    assert.deepInclude(changed(draft).retry, { burned: false, attempt: 0 })
    assert.deepStrictEqual(changed(draft).markers, [])
    assert.deepInclude(left(draft).agent, { standing: "waiting", restarts: [] })
  })

  it("by a landing conflict burns and tries again from the moved base (R27)", () => {
    const conflict = failure("ORCH_RETRYABLE_LANDING_CONFLICT")
    const draft = turn(
      [working("lander", { phase: "land" })],
      [{ _tag: "LandingRejected", ...who, failure: conflict }]
    )
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED landing_rejected ORCH_RETRYABLE_LANDING_CONFLICT",
      "agent working abandon abandoned landing_rejected ORCH_RETRYABLE_LANDING_CONFLICT"
    ])
    assert.strictEqual(left(draft).job.retryCount, 1)
  })

  const unknown = failure("EXT_A", { message: "the socket closed", retryAfterMillis: 9_000 })

  it("by a landing of unknown outcome burns nothing, and its lander is asked again after a while (R27)", () => {
    const draft = turn(
      [working("lander", { phase: "land", restarts: [now - 10] })],
      [{ _tag: "LandingUnknown", ...who, failure: unknown }]
    )
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED landing_unknown ORCH_LANDING_UNKNOWN",
      "agent working abandon abandoned landing_unknown ORCH_LANDING_UNKNOWN"
    ])
    const { agent, job } = left(draft)
    assert.deepInclude(agent, {
      standing: "landing_unknown",
      owner: null,
      phase: null,
      restarts: [now - 10, now]
    })
    assert.deepInclude(job, { retryCount: 0, runAt: now + 10_000 })
    assert.deepInclude(changed(draft).retry, { burned: false, errorCode: "ORCH_LANDING_UNKNOWN" })
    assert.deepStrictEqual(changed(draft).markers, [])
  })

  it("by a landing of which nobody knows for too long ends in quarantine, for an operator to look (R27)", () => {
    const draft = turn(
      [working("lander", { phase: "land", restarts: [now - 20, now - 10] })],
      [{ _tag: "LandingUnknown", ...who, failure: unknown }]
    )
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING fail FAILED restart_budget_exhausted ORCH_LANDING_UNKNOWN",
      "job FAILED dead_letter DEAD_LETTERED quarantined ORCH_LANDING_UNKNOWN",
      "agent working abandon abandoned landing_unknown ORCH_LANDING_UNKNOWN",
      "agent abandoned tombstone tombstoned quarantined"
    ])
    assert.deepInclude(changed(draft).letter, {
      failureErrorCode: "ORCH_LANDING_UNKNOWN",
      failureSummary: "the socket closed"
    })
  })

  it("draws its jitter by seed, job and attempt: equal for equal ones, and apart for others (R12)", async () => {
    const catalogue = await compiled([{ code: "EXT_*", jitter: 0.2 }])
    const due = (seed: number, seq: number, retryCount: number) =>
      changed(
        turn([working("plain", {}, { seq, retryCount })], [failed("EXT_A", {}, { seq })], {
          env: { seed, catalogue }
        }),
        seq
      ).retry?.delayMillis
    assert.strictEqual(due(1, 1, 0), due(1, 1, 0))
    assert.notStrictEqual(due(1, 1, 0), due(2, 1, 0))
    assert.notStrictEqual(due(1, 1, 0), due(1, 2, 0))
    assert.notStrictEqual((due(1, 1, 0) ?? 0) * 2, due(1, 1, 1))
  })
})
