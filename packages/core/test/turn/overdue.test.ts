import { assert, describe, it } from "@effect/vitest"
import { holdsSlot } from "../../src/domain/Agent.ts"
import { usedSlots } from "../../src/domain/turn/move.ts"
import type { Signal } from "../../src/domain/turn/Signal.ts"
import { changed, commands, failure, left, moves, notes, now, self, turn, working } from "./Scene.ts"

const who = { seq: 1, incarnation: 1 }
const silence: Signal = {
  _tag: "Overdue",
  ...who,
  why: "stream_silence",
  phase: "work",
  failure: failure("ORCH_RETRYABLE_STREAM_SILENCE")
}
const deadline = (phase: "prepare" | "sentinel" | "work" | "verify" | "land"): Signal => ({
  _tag: "Overdue",
  ...who,
  why: "deadline_exceeded",
  phase,
  failure: failure("ORCH_RETRYABLE_TIMEOUT")
})
const ended = { _tag: "Ended", ...who } as const
const hung = { _tag: "Hung", ...who } as const

describe("an overdue incarnation, whose fiber still lives", () => {
  it("that is silent is abandoned and its attempt burned, and it keeps owner and slot until its fiber has ended (R2, R4)", () => {
    const draft = turn([working()], [silence])
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED stream_silence ORCH_RETRYABLE_STREAM_SILENCE",
      "agent working abandon abandoned stream_silence ORCH_RETRYABLE_STREAM_SILENCE"
    ])
    const { agent, job } = left(draft)
    assert.deepInclude(job, { state: "RETRY_SCHEDULED", retryCount: 1 })
    assert.deepInclude(agent, { standing: "ending", owner: self, phase: "work", incarnation: 1 })
    assert.isTrue(holdsSlot(agent))
    assert.strictEqual(usedSlots(draft.owned), 1)
    assert.deepStrictEqual(draft.commands, [{ _tag: "Interrupt", seq: 1, incarnation: 1 }])
  })

  it("waits for its retry and frees its slot when its fiber has ended", () => {
    const draft = turn([left(turn([working()], [silence])).job], [ended])
    assert.deepStrictEqual(moves(draft), [])
    assert.deepInclude(left(draft).agent, { standing: "waiting", owner: null, phase: null, hung: false })
    assert.strictEqual(usedSlots(draft.owned), 0)
    assert.deepStrictEqual(commands(draft), ["Forget 1"])
    assert.deepStrictEqual(notes(draft), [])
  })

  it("that doesn't end is hung: the slot is given up, the job goes on without it, and that is a field, not a state (R4)", () => {
    const draft = turn([left(turn([working()], [silence])).job], [hung])
    assert.deepStrictEqual(moves(draft), [])
    assert.deepInclude(left(draft).agent, {
      state: "abandoned",
      standing: "waiting",
      hung: true,
      owner: null
    })
    assert.strictEqual(usedSlots(draft.owned), 0)
    const again = turn([], [], { peek: [left(draft).job] })
    assert.deepInclude(left(again).agent, { state: "working", incarnation: 2, hung: false, workspace: null })
  })

  it("that is hung keeps its workspace to itself, and the story says where it is (R5, R30)", () => {
    const placed = working("workspace", { workspace: "/w/1" })
    const hungUp = left(turn([left(turn([placed], [silence])).job], [hung])).job
    const again = turn([], [], { peek: [hungUp] })
    assert.deepInclude(left(again).agent, { incarnation: 2, workspace: null })
    const recovered = changed(again).events.find(({ event }) => event === "recover")
    assert.strictEqual(recovered?.detail, '{"left_workspace":"/w/1"}')
  })

  it("past a deadline is abandoned in each phase that has one, the sentinel as a part of prepare", () => {
    for (const [asked, phase] of [
      ["prepare", "prepare"],
      ["sentinel", "prepare"],
      ["work", "work"],
      ["verify", "verify"]
    ] as const) {
      const draft = turn([working("full", { phase })], [deadline(asked)])
      assert.deepStrictEqual(moves(draft), [
        "job PROCESSING schedule_retry RETRY_SCHEDULED deadline_exceeded ORCH_RETRYABLE_TIMEOUT",
        "agent working abandon abandoned deadline_exceeded ORCH_RETRYABLE_TIMEOUT"
      ])
      assert.deepInclude(left(draft).agent, { standing: "ending", phase })
      assert.deepStrictEqual(commands(draft), ["Interrupt 1"])
    }
  })

  it("in its landing is stopped, and its lander is asked whether it happened before anything else (R27)", () => {
    const draft = turn([working("full", { phase: "land", workspace: "/w/1" })], [deadline("land")])
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED landing_unknown ORCH_LANDING_UNKNOWN",
      "agent working abandon abandoned deadline_exceeded ORCH_LANDING_UNKNOWN"
    ])
    const { job } = left(draft)
    assert.deepInclude(job.agent, { standing: "ending", phase: "land", owner: self })
    assert.deepStrictEqual(commands(draft), ["Interrupt 1"])
    for (const _tag of ["Ended", "Hung"] as const)
      assert.deepInclude(left(turn([job], [{ _tag, ...who }])).agent, {
        standing: "landing_unknown",
        owner: null
      })
    const itself: Signal = { _tag: "LandingDone", ...who, result: "1", reference: null }
    assert.strictEqual(left(turn([job], [itself])).agent.standing, "landing_unknown")
  })

  it("of a phase that has ended in the meantime is not overdue: neither burned, nor its landing taken for unknown", () => {
    for (const phase of ["verify", "land"] as const) {
      const draft = turn([working("full", { phase })], [silence])
      assert.strictEqual(draft.changes.size, 0)
      assert.deepStrictEqual(draft.commands, [])
      assert.deepStrictEqual(notes(draft), ["1/1 refused_message not_expected"])
    }
    const worked: Signal = { _tag: "Worked", ...who, result: "1" }
    const draft = turn([working("lander")], [worked, silence])
    assert.deepStrictEqual(commands(draft), ["Land 1"])
    assert.strictEqual(left(draft).job.state, "PROCESSING")
  })

  it("is closed once its fiber has ended, where its job is over: archived first, and no slot held for it (R30)", () => {
    const spent = working("workspace", { workspace: "/w/1" }, { retryCount: 2 })
    const over = turn([spent], [silence])
    assert.strictEqual(left(over).job.state, "DEAD_LETTERED")
    assert.deepStrictEqual(commands(over), ["Interrupt 1"])
    for (const last of [ended, hung]) {
      const draft = turn([left(over).job], [last])
      assert.deepInclude(left(draft).agent, {
        standing: "closing",
        phase: "archive",
        owner: self,
        hung: last === hung
      })
      assert.strictEqual(usedSlots(draft.owned), 0)
      assert.deepStrictEqual(commands(draft), ["Archive 1"])
    }
  })
})

describe("an ending incarnation", () => {
  const ending = left(turn([working("full", { workspace: "/w/1" })], [silence])).job

  it("that ends by itself meanwhile is noted and never landed, and its end is its end", () => {
    for (const signal of [
      { _tag: "Worked", ...who, result: "1" },
      { _tag: "WorkFailed", ...who, failure: failure("DQ_STALE") }
    ] as const) {
      const draft = turn([ending], [signal])
      assert.deepStrictEqual(moves(draft), [])
      assert.deepStrictEqual(notes(draft), ["1/1 late_completion already_abandoned"])
      assert.deepInclude(left(draft).agent, { standing: "waiting", owner: null, workspace: "/w/1" })
      assert.deepInclude(left(draft).job, { state: "RETRY_SCHEDULED", retryCount: 1 })
      assert.isNull(changed(draft).result)
    }
  })

  it("is not taken for ended by a word of a phase before, or by a second overdue: its fiber still lives", () => {
    for (const signal of [
      silence,
      { _tag: "Prepared", ...who, workspace: "/w/9" },
      { _tag: "Verified", ...who, result: "1" }
    ] as const) {
      const draft = turn([ending], [signal])
      assert.strictEqual(draft.changes.size, 0)
      assert.deepStrictEqual(notes(draft), ["1/1 late_completion already_abandoned"])
    }
  })

  it("that has made its workspace in the meantime remembers it, so that nothing is left behind unrecorded (R30)", () => {
    const overdue = left(turn([working("full", { phase: "prepare" })], [deadline("prepare")])).job
    const made = { workspace: "/w/1" }
    for (const signal of [
      { _tag: "Prepared", ...who, ...made },
      { _tag: "PrepareFailed", ...who, ...made, phase: "sentinel", failure: failure("EXT_A") }
    ] as const) {
      const draft = turn([overdue], [signal])
      assert.deepInclude(left(draft).agent, { standing: "waiting", workspace: "/w/1" })
    }
    for (const signal of [ended, hung]) {
      const draft = turn([overdue], [{ ...signal, ...made }])
      assert.deepInclude(left(draft).agent, { standing: "waiting", workspace: "/w/1" })
    }
    const cancelled = { ...overdue, state: "CANCELLED" } as const
    const draft = turn([cancelled], [{ _tag: "Prepared", ...who, ...made }])
    assert.deepStrictEqual(commands(draft), ["Archive 1"])
  })

  it("is ended once: a second word of its end changes nothing, and archives nothing twice", () => {
    const over = left(turn([working("workspace", { workspace: "/w/1" }, { retryCount: 2 })], [silence])).job
    const draft = turn([over], [{ _tag: "Worked", ...who, result: "1" }, ended, hung])
    assert.deepStrictEqual(commands(draft), ["Archive 1"])
    assert.deepInclude(left(draft).agent, { hung: false, phase: "archive" })
  })
})

describe("a stale incarnation", () => {
  it("is noted and never landed, whatever it says: another lives, or none is known here", () => {
    const second = working("full", { incarnation: 2 })
    for (const signal of [
      { _tag: "Worked", ...who, result: "1" },
      { _tag: "LandingDone", ...who, result: "1", reference: null },
      { _tag: "WorkFailed", ...who, failure: failure("DQ_STALE") },
      silence,
      ended,
      hung,
      { _tag: "Cleaned", ...who, fate: { _tag: "Removed" } }
    ] as const) {
      for (const owned of [[second], []]) {
        const draft = turn(owned, [signal])
        assert.strictEqual(draft.changes.size, 0)
        assert.deepStrictEqual(draft.commands, [])
        assert.deepStrictEqual(notes(draft), ["1/1 late_completion stale_incarnation"])
      }
    }
  })

  it("of the future is refused as well", () => {
    const draft = turn([working()], [{ _tag: "Worked", seq: 1, incarnation: 2, result: "1" }])
    assert.strictEqual(draft.changes.size, 0)
    assert.deepStrictEqual(notes(draft), ["1/2 late_completion stale_incarnation"])
  })

  it("leaves a note outside the chains, with actor and time (R12)", () => {
    assert.deepStrictEqual(turn([], [ended]).notes, [
      {
        seq: 1,
        subjectKind: "agent",
        event: "late_completion",
        fromState: null,
        toState: null,
        transitionReason: "stale_incarnation",
        errorCode: null,
        actor: "host:1",
        occurredAt: now,
        incarnation: 1,
        detail: null
      }
    ])
  })
})
