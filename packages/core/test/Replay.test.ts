import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { DeadLetterDraft } from "../src/domain/DeadLetter.ts"
import { isOver, JobMachine } from "../src/domain/JobMachine.ts"
import {
  isFresh,
  type LetterVerdict,
  type Operator,
  replay,
  type Replayed,
  replayedNote,
  rule
} from "../src/domain/Replay.ts"
import { pending, working } from "./turn/Scene.ts"

const ana: Operator = { actor: "operator:ana", text: "the service is back", at: 5_000 }

const letter: DeadLetterDraft = {
  finalState: "FAILED",
  failureErrorCode: "EXT_DOWN",
  failureSummary: "it was down",
  quarantinedAt: 4_000,
  replayEligible: true
}

const dead = (patch: Parameters<typeof pending>[1] = {}) =>
  pending("plain", { seq: 7, state: "DEAD_LETTERED", version: 6, updatedAt: 4_000, ...patch })

const quarantined: Replayed = { job: dead(), payload: '{"n":1}', letter }

const missing = (source: Replayed): ReadonlyArray<string> =>
  Result.getOrThrow(Result.flip(replay(source, ana))).missing

describe("a replay", () => {
  it("is a new job with the original envelope, whole budget and payload, linked to the old one and due now (R31)", () => {
    const source = dead({
      priority: 9,
      maxRetries: 3,
      retryCount: 3,
      runAt: 77,
      correlationId: "cause-1",
      traceContext: "00-trace",
      lastErrorCode: "EXT_DOWN"
    })
    const job = Result.getOrThrow(replay({ ...quarantined, job: source }, ana))
    assert.deepInclude(job, {
      workflowType: "plain",
      idempotencyKey: "key-7",
      payloadFingerprint: "aa",
      payload: '{"n":1}',
      priority: 9,
      maxRetries: 3,
      correlationId: "cause-1",
      traceContext: "00-trace",
      replayOf: 7,
      runAt: 5_000,
      actor: "operator:ana"
    })
    assert.deepStrictEqual(JSON.parse(job.detail), { replay_of: "s-7", reason: "the service is back" })
    assert.deepStrictEqual(job.notes, [])
  })

  it("takes a letter, a FAILED or a CANCELLED job, and nothing else", () => {
    for (const state of JobMachine.states) {
      const source = {
        job: dead({ state }),
        payload: "{}",
        letter: state === "DEAD_LETTERED" ? letter : null
      }
      const may = state === "DEAD_LETTERED" || state === "FAILED" || state === "CANCELLED"
      assert.strictEqual(Result.isSuccess(replay(source, ana)), may, state)
      assert.isTrue(!may || isOver(state))
      if (!may) assert.deepStrictEqual(missing(source), ["final_state"])
    }
  })

  it("is refused where the letter forbids it, is discarded or is gone", () => {
    assert.deepStrictEqual(missing({ ...quarantined, letter: { ...letter, replayEligible: false } }), [
      "replay_eligible"
    ])
    assert.deepStrictEqual(missing({ ...quarantined, letter: { ...letter, discardedAt: 1 } }), [
      "letter_discarded"
    ])
    assert.deepStrictEqual(missing({ ...quarantined, letter: null }), ["dead_letter"])
    assert.deepStrictEqual(missing({ ...quarantined, payload: null }), ["payload"])
  })

  it("waits for the end of the old job's agent: two lives of one key never run side by side", () => {
    const ending = working("plain", { state: "abandoned", standing: "ending" }, { state: "CANCELLED" })
    assert.deepStrictEqual(missing({ job: ending, payload: "{}", letter: null }), ["agent_end"])
    for (const agent of [
      { state: "abandoned", standing: "closing", phase: "clean" },
      { state: "abandoned", standing: "ending", hung: true },
      { state: "tombstoned", standing: null, owner: null, phase: null }
    ] as const) {
      const job = working("plain", agent, { state: "CANCELLED" })
      assert.isTrue(Result.isSuccess(replay({ job, payload: "{}", letter: null }, ana)), agent.standing ?? "")
    }
  })

  it("that is wanted fresh says so in a note of its own", () => {
    const job = Result.getOrThrow(replay(quarantined, ana, { fresh: true }))
    const [note] = job.notes
    assert.deepInclude(note, {
      event: "replay_fresh",
      fromState: null,
      toState: null,
      actor: "operator:ana",
      occurredAt: 5_000
    })
    assert.isTrue(isFresh(job.notes))
    assert.isFalse(isFresh(Result.getOrThrow(replay(quarantined, ana)).notes))
  })

  it("is noted at the job that it replays, held to the row that was decided on", () => {
    const change = replayedNote(dead(), ana)
    assert.deepInclude(change, { version: 6, contested: false, letter: null })
    assert.strictEqual(change?.job.version, 7)
    assert.deepStrictEqual(
      change?.events.map(({ event, toState }) => [event, toState]),
      [["replayed", null]]
    )
    const cleaned = working("plain", { state: "abandoned", standing: "closing" }, { state: "CANCELLED" })
    assert.isNull(replayedNote(cleaned, ana), "its row is a host's")
  })
})

const ruled = (verdict: LetterVerdict, given: DeadLetterDraft = letter, job = dead()) =>
  rule(job, given, verdict, ana)

describe("a verdict on a letter", () => {
  it("allows, forbids or discards, with a note of who and why, and moves nothing", () => {
    const forbidden = Result.getOrThrow(ruled("forbid"))
    assert.isFalse(forbidden?.letter?.replayEligible)
    assert.strictEqual(forbidden?.job.state, "DEAD_LETTERED")
    assert.deepInclude(forbidden?.events[0], {
      event: "replay_forbidden",
      toState: null,
      transitionReason: "operator",
      actor: "operator:ana",
      detail: '{"reason":"the service is back"}'
    })
    const allowed = Result.getOrThrow(ruled("allow", { ...letter, replayEligible: false }))
    assert.isTrue(allowed?.letter?.replayEligible)
    const discarded = Result.getOrThrow(ruled("discard"))
    assert.deepInclude(discarded?.letter, { discardedAt: 5_000, replayEligible: true })
    assert.strictEqual(discarded?.events[0]?.event, "letter_discarded")
  })

  it("that the letter says already changes nothing and writes no second note", () => {
    assert.isNull(Result.getOrThrow(ruled("allow")))
    assert.isNull(Result.getOrThrow(ruled("forbid", { ...letter, replayEligible: false })))
    assert.isNull(Result.getOrThrow(ruled("discard", { ...letter, discardedAt: 1 })))
  })

  it("comes too late for a letter that was discarded or replayed", () => {
    const gone = { ...letter, discardedAt: 1 }
    for (const verdict of ["allow", "forbid"] as const)
      assert.deepStrictEqual(Result.getOrThrow(Result.flip(ruled(verdict, gone))).missing, [
        "letter_discarded"
      ])
    for (const verdict of ["forbid", "discard"] as const)
      assert.deepStrictEqual(
        Result.getOrThrow(Result.flip(ruled(verdict, letter, dead({ supersededBy: 8 })))).missing,
        ["replayed"]
      )
  })

  it("never precedes the job's last event, though the operator's clock may", () => {
    const change = Result.getOrThrow(rule(dead(), letter, "forbid", { ...ana, at: 10 }))
    assert.strictEqual(change?.events[0]?.occurredAt, 4_000)
  })
})
