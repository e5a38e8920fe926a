import { assert, describe, it } from "@effect/vitest"
import { cancel } from "../../src/domain/turn/cancel.ts"
import { begin, isEmpty } from "../../src/domain/turn/Draft.ts"
import {
  cancelWanted,
  changed,
  commands,
  env,
  failure,
  gone,
  left,
  moves,
  pending,
  self,
  turn,
  waiting,
  working
} from "./Scene.ts"

const who = { seq: 1, incarnation: 1 }

describe("cancelling a waiting job (R24)", () => {
  it("ends a PENDING one at once, without slot or agent, contested by whoever takes it now", () => {
    const job = pending()
    const draft = turn([], [cancelWanted(job)])
    assert.deepStrictEqual(moves(draft), ["job PENDING cancel CANCELLED operator"])
    assert.deepInclude(changed(draft), { version: 1, contested: true })
    assert.strictEqual(changed(draft).job.version, 2)
    assert.deepStrictEqual(draft.commands, [])
  })

  it("leaves its intent open, since the job may be lost to another host: a later look settles it", () => {
    assert.deepStrictEqual(turn([], [cancelWanted(pending())]).settled, [])
    const cancelled = pending("plain", { state: "CANCELLED" })
    const looked = turn([], [cancelWanted(cancelled, 4)])
    assert.deepStrictEqual(looked.settled, [{ intent: 4, outcome: "cancelled" }])
    assert.strictEqual(looked.changes.size, 0)
  })

  it("leaves a second intent open as well, and one for a job that is adopted in this very turn: both may be lost", () => {
    assert.deepStrictEqual(turn([], [cancelWanted(pending(), 1), cancelWanted(pending(), 2)]).settled, [])
    for (const phase of ["work", "land"] as const) {
      const lost = working("lander", { owner: gone, phase })
      const draft = turn([], [{ _tag: "Orphaned", job: lost }, cancelWanted(lost)])
      assert.isTrue(changed(draft).contested)
      assert.deepStrictEqual(draft.settled, [])
    }
  })

  it("tombstones the agent of a RETRY_SCHEDULED one in the same turn, as discarded", () => {
    const draft = turn([], [cancelWanted(waiting())])
    assert.deepStrictEqual(moves(draft), [
      "job RETRY_SCHEDULED cancel CANCELLED operator",
      "agent abandoned tombstone tombstoned discarded"
    ])
    assert.deepInclude(left(draft).agent, { disposition: "discarded", owner: null, standing: null })
    assert.isTrue(changed(draft).contested)
  })

  it("takes on a waiting agent's workspace: archived first, without a slot", () => {
    const draft = turn([], [cancelWanted(waiting("workspace", { workspace: "/w/1" }))])
    assert.deepStrictEqual(moves(draft), ["job RETRY_SCHEDULED cancel CANCELLED operator"])
    assert.deepInclude(left(draft).agent, { standing: "closing", phase: "archive", owner: self })
    assert.deepStrictEqual(commands(draft), ["Archive 1"])
  })

  it("from a command line leaves the workspace to a host, which finds the closing agent by its row (R11)", () => {
    const draft = begin(new Map())
    const wish = { reason: "operator", actor: "operator:ana", intent: null } as const
    const outcome = cancel(draft, { ...env, owner: null }, waiting("workspace", { workspace: "/w/1" }), wish)
    assert.strictEqual(outcome, "cancelled")
    assert.deepInclude(left(draft).agent, {
      state: "abandoned",
      standing: "closing",
      phase: null,
      owner: null
    })
    assert.deepStrictEqual(draft.commands, [])
  })

  it("says who cancels, for which reason, and why in their words (R29)", () => {
    const wanted = cancelWanted(pending(), 9, "wrong branch")
    assert.deepInclude(changed(turn([], [wanted])).events[0], {
      actor: "operator:ana",
      transitionReason: "operator",
      detail: '{"reason":"wrong branch"}'
    })
    assert.isNull(changed(turn([], [cancelWanted(pending())])).events[0]?.detail)
  })
})

describe("cancelling a job that runs", () => {
  it("cancels job and agent in one change in each phase before the landing, and stops the fiber, which keeps its slot until it ends", () => {
    for (const phase of ["prepare", "work", "verify"] as const) {
      const job = working("full", {
        state: phase === "prepare" ? "dispatched" : "working",
        phase,
        workspace: "/w/1"
      })
      const draft = turn([job], [cancelWanted(job)])
      assert.deepStrictEqual(moves(draft), [
        "job PROCESSING cancel CANCELLED operator",
        `agent ${job.agent?.state} abandon abandoned cancelled`
      ])
      assert.deepInclude(left(draft).agent, { standing: "ending", phase, owner: self })
      assert.isFalse(changed(draft).contested)
      assert.deepStrictEqual(draft.settled, [{ intent: 9, outcome: "cancelled" }])
      assert.deepStrictEqual(draft.commands, [{ _tag: "Interrupt", seq: 1, incarnation: 1 }])

      const ended = turn([left(draft).job], [{ _tag: "Ended", ...who }])
      assert.deepInclude(left(ended).agent, { standing: "closing", phase: "archive" })
      assert.deepStrictEqual(commands(ended), ["Archive 1"])
    }
  })

  it("ends in a tombstone that says discarded, in the turn in which the fiber has ended, where there is no workspace", () => {
    const draft = turn([left(turn([working()], [cancelWanted(working())])).job], [{ _tag: "Ended", ...who }])
    assert.deepStrictEqual(moves(draft), ["agent abandoned tombstone tombstoned discarded"])
    assert.deepInclude(left(draft).agent, { disposition: "discarded", hung: false })
  })

  it("is no shelter for a hung fiber: the agent is closed without it (R4)", () => {
    const cancelled = left(turn([working()], [cancelWanted(working())])).job
    const draft = turn([cancelled], [{ _tag: "Hung", ...who }])
    assert.deepInclude(left(draft).agent, { state: "tombstoned", disposition: "discarded", hung: true })
  })

  it("takes the job as this turn has left it, not as it was looked at", () => {
    const seen = working()
    const draft = turn(
      [seen],
      [{ _tag: "WorkFailed", ...who, failure: failure("EXT_A") }, cancelWanted(seen)]
    )
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED attempt_failed EXT_A",
      "agent working abandon abandoned attempt_failed EXT_A",
      "job RETRY_SCHEDULED cancel CANCELLED operator",
      "agent abandoned tombstone tombstoned discarded"
    ])
    assert.deepInclude(changed(draft), { version: 2, contested: false })
    assert.strictEqual(changed(draft).job.version, 3)
  })

  it("is contested where the look says that a host owns the job and the turn knows nothing of it: the row may be out of date", () => {
    for (const owner of [self, gone]) {
      const draft = turn([], [cancelWanted(working("plain", { owner }))])
      assert.isTrue(changed(draft).contested)
      assert.deepStrictEqual(draft.settled, [])
    }
  })

  it("cancels an ending agent's job without a second interruption", () => {
    const ending = working(
      "plain",
      { state: "abandoned", standing: "ending" },
      { state: "RETRY_SCHEDULED", retryCount: 1 }
    )
    const draft = turn([ending], [cancelWanted(ending)])
    assert.deepStrictEqual(moves(draft), ["job RETRY_SCHEDULED cancel CANCELLED operator"])
    assert.deepInclude(left(draft).agent, { state: "abandoned", standing: "ending", phase: "work" })
    assert.deepStrictEqual(draft.commands, [])
    assert.deepStrictEqual(draft.settled, [{ intent: 9, outcome: "cancelled" }])
  })
})

describe("cancelling too late (R26)", () => {
  const tooLate = [{ intent: 9, outcome: "too_late" }]

  it("is what a landing that has begun answers: it ends the job, and the intent stays open until then", () => {
    const landing = working("lander", { phase: "land" })
    const wish = { reason: "operator", actor: "operator:ana", intent: 9 } as const
    const draft = begin(new Map([[1, landing]]))
    assert.strictEqual(cancel(draft, env, landing, wish), "too_late")
    assert.isTrue(isEmpty(draft))
    assert.deepStrictEqual(draft.commands, [])
    const landed = turn([landing], [{ _tag: "LandingDone", ...who, result: "1", reference: null }])
    assert.deepStrictEqual(turn([], [cancelWanted(left(landed).job)]).settled, tooLate)
  })

  it("is made good by a landing that is rejected: the job is cancelled, whatever its budget would allow", () => {
    const rejected = {
      _tag: "LandingRejected",
      ...who,
      failure: failure("ORCH_RETRYABLE_LANDING_CONFLICT")
    } as const
    const wish = { reason: "operator", actor: "operator:ana", intent: 9, text: "not any more" } as const
    for (const retryCount of [0, 2]) {
      const landing = working("lander", { phase: "land" }, { retryCount })
      const draft = turn([landing], [rejected], { env: { cancels: new Map([[1, wish]]) } })
      assert.deepStrictEqual(moves(draft), [
        "job PROCESSING cancel CANCELLED operator ORCH_RETRYABLE_LANDING_CONFLICT",
        "agent working abandon abandoned landing_rejected ORCH_RETRYABLE_LANDING_CONFLICT",
        "agent abandoned tombstone tombstoned discarded"
      ])
      assert.deepInclude(changed(draft).events[0], {
        actor: "operator:ana",
        detail: '{"reason":"not any more","landing":"it failed with ORCH_RETRYABLE_LANDING_CONFLICT"}'
      })
      assert.deepInclude(left(draft).job, { retryCount, lastErrorCode: "ORCH_RETRYABLE_LANDING_CONFLICT" })
      assert.isNull(changed(draft).retry)
      assert.deepStrictEqual(draft.settled, [{ intent: 9, outcome: "cancelled" }])
    }
    const other = turn([working("lander", { phase: "land" })], [rejected], {
      env: { cancels: new Map([[2, wish]]) }
    })
    assert.strictEqual(left(other).job.state, "RETRY_SCHEDULED")
  })

  it("is decided by which of the two comes first in the turn", () => {
    const job = working("lander")
    const worked = { _tag: "Worked", ...who, result: "1" } as const
    const late = turn([job], [worked, cancelWanted(job)])
    assert.deepStrictEqual([left(late).job.state, late.settled], ["PROCESSING", []])
    const won = turn([job], [cancelWanted(job), worked])
    assert.deepStrictEqual(won.settled, [{ intent: 9, outcome: "cancelled" }])
    assert.strictEqual(left(won).job.state, "CANCELLED")
    assert.notInclude(commands(won), "Land 1")
  })

  it("is what a job that is over answers, closed or still closing, and nothing moves", () => {
    const closing = { state: "abandoned", standing: "closing", phase: "archive", workspace: "/w/1" } as const
    for (const job of [
      working("plain", { state: "landed", phase: "archive" }, { state: "COMPLETED" }),
      working("plain", closing, { state: "DEAD_LETTERED" }),
      working("plain", closing, { state: "FAILED" }),
      pending("plain", { state: "DEAD_LETTERED" })
    ]) {
      const draft = turn(job.agent?.owner === self ? [job] : [], [cancelWanted(job)])
      assert.strictEqual(draft.changes.size, 0)
      assert.deepStrictEqual(draft.settled, tooLate)
    }
  })

  it("is not what a second cancel hears: the job is cancelled", () => {
    const job = working()
    const draft = turn([job], [cancelWanted(job, 1), cancelWanted(job, 2)])
    assert.deepStrictEqual(draft.settled, [
      { intent: 1, outcome: "cancelled" },
      { intent: 2, outcome: "cancelled" }
    ])
    assert.deepStrictEqual(commands(draft), ["Interrupt 1"])
  })
})
