import { assert, describe, it } from "@effect/vitest"
import type { Signal } from "../../src/domain/turn/Signal.ts"
import {
  cancelWanted,
  changed,
  commands,
  env,
  failure,
  left,
  moves,
  notes,
  now,
  self,
  turn,
  waiting,
  working
} from "./Scene.ts"

const who = { seq: 1, incarnation: 1 } as const
const absent: Signal = { _tag: "LandingAbsent", ...who, result: "1" }
const unlanded = (patch = {}) =>
  waiting("lander", { standing: "landing_unknown", workspace: "/w/1", ...patch }, { retryCount: 0 })
const asking = working("lander", { phase: "land", standing: "landing_unknown" })

describe("a landing of which nobody knows whether it happened (R27)", () => {
  it("is asked about by a new incarnation before anything else, in its phase and in its place, hung or not", () => {
    for (const hung of [false, true]) {
      const draft = turn([], [], { peek: [unlanded({ hung })] })
      assert.deepStrictEqual(moves(draft), [
        "job RETRY_SCHEDULED retry PROCESSING due",
        "agent abandoned recover working recover"
      ])
      assert.deepInclude(left(draft).agent, {
        incarnation: 2,
        owner: self,
        phase: "land",
        standing: "landing_unknown",
        workspace: "/w/1",
        hung: false
      })
      assert.deepStrictEqual(commands(draft), ["Reconcile 1"])
    }
    const misfit = turn([], [], { peek: [unlanded()], payload: '"misfit"' })
    assert.deepStrictEqual(
      commands(misfit),
      ["Reconcile 1"],
      "a payload that no longer fits undoes no landing"
    )
  })

  it("that has not happened lands now, once, however often that is said", () => {
    const draft = turn([asking], [absent, absent])
    assert.deepStrictEqual(commands(draft), ["Land 1"])
    assert.deepInclude(left(draft).agent, { phase: "land", standing: null })
    assert.deepStrictEqual(notes(draft), ["1/1 refused_message not_expected"])
    const landing = working("lander", { phase: "land" })
    assert.deepStrictEqual(commands(turn([landing], [absent])), [])
  })

  it("that has happened completes the job", () => {
    const draft = turn([asking], [{ _tag: "LandingDone", ...who, result: "1", reference: null }])
    assert.deepInclude(left(draft).job, { state: "COMPLETED" })
    assert.deepInclude(left(draft).agent, { state: "tombstoned", standing: null })
  })

  it("is asked about again, each time after a longer while, up to a minute", () => {
    const delays = [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]].map((restarts) => {
      const job = working("lander", { phase: "land", restarts: restarts.map((n) => now - n) })
      const policies = new Map(env.workflows)
      const policy = policies.get("lander")
      if (policy !== undefined)
        policies.set("lander", { ...policy, restarts: { restarts: 5, windowMillis: 600_000 } })
      const unknown: Signal = { _tag: "LandingUnknown", ...who, failure: failure("ORCH_LANDING_UNKNOWN") }
      return changed(turn([job], [unknown], { env: { workflows: policies } })).retry?.delayMillis
    })
    assert.deepStrictEqual(delays, [5_000, 10_000, 20_000, 40_000, 60_000])
  })

  it("is not cancelled before the answer, and then instead of landing", () => {
    for (const job of [unlanded(), asking]) {
      const draft = turn(job.agent?.owner === null ? [] : [job], [cancelWanted(job)])
      assert.deepStrictEqual([draft.changes.size, draft.settled], [0, []])
    }
    const wish = { reason: "operator", actor: "operator:ana", intent: 9, text: "no longer" } as const
    const draft = turn([asking], [absent], { env: { cancels: new Map([[1, wish]]) } })
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING cancel CANCELLED operator",
      "agent working abandon abandoned cancelled",
      "agent abandoned tombstone tombstoned discarded"
    ])
    assert.deepStrictEqual(draft.settled, [{ intent: 9, outcome: "cancelled" }])
  })
})

describe("finished work (R5)", () => {
  const worked: Signal = { _tag: "Worked", ...who, result: "1" }

  it("is kept in the commit marker, and begins the restart budget anew (R2)", () => {
    const draft = turn([working("gates", { restarts: [now - 10] })], [worked])
    assert.deepInclude(changed(draft).markers[0], { name: "commit", state: "finished", result: "1" })
    assert.deepInclude(left(draft).agent, { phase: "verify", restarts: [] })
  })

  it("that an earlier incarnation has done is verified as it is, and renews no budget", () => {
    const draft = turn([working("gates", { restarts: [now - 10] })], [{ ...worked, recalled: true }])
    assert.deepStrictEqual(changed(draft).markers, [])
    assert.deepInclude(left(draft).agent, { phase: "verify", restarts: [now - 10] })
    assert.deepStrictEqual(commands(draft), ["Verify 1"])
  })

  it("counts no more once a gate or a lander has turned it down, or its verification took too long", () => {
    const ends: ReadonlyArray<readonly ["verify" | "land", Signal]> = [
      ["verify", { _tag: "VerifyFailed", ...who, failure: failure("ORCH_GATE_REJECTED") }],
      ["land", { _tag: "LandingRejected", ...who, failure: failure("ORCH_RETRYABLE_LANDING_CONFLICT") }],
      [
        "verify",
        {
          _tag: "Overdue",
          ...who,
          why: "deadline_exceeded",
          phase: "verify",
          failure: failure("ORCH_RETRYABLE_TIMEOUT")
        }
      ]
    ]
    for (const [phase, signal] of ends) {
      const draft = turn([working("full", { phase })], [signal])
      assert.deepInclude(changed(draft).markers[0], { name: "commit", state: "cleared", result: null })
    }
  })

  it("counts still when its host stops or is lost while it is verified", () => {
    const stopped = turn([working("full", { phase: "verify" })], [{ _tag: "Stopping" }])
    assert.deepStrictEqual(changed(stopped).markers, [])
  })
})
