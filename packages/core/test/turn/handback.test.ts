import { assert, describe, it } from "@effect/vitest"
import type { Signal } from "../../src/domain/turn/Signal.ts"
import {
  changed,
  commands,
  failure,
  gone,
  left,
  moves,
  now,
  notes,
  pending,
  self,
  turn,
  waiting,
  working
} from "./Scene.ts"

const who = { seq: 1, incarnation: 1 }
const stopping: Signal = { _tag: "Stopping" }

describe("a host that stops", () => {
  it("hands back what runs, due now and unburned, and stops each fiber, which keeps its slot until it ends (R2)", () => {
    const jobs = (["prepare", "work", "verify"] as const).map((phase, index) =>
      working(
        "full",
        { state: phase === "prepare" ? "dispatched" : "working", phase, restarts: [7] },
        { seq: index + 1, retryCount: 1 }
      )
    )
    const draft = turn(jobs, [stopping])
    for (const { agent, seq } of jobs) {
      assert.deepStrictEqual(moves(draft, seq), [
        "job PROCESSING schedule_retry RETRY_SCHEDULED host_shutdown",
        `agent ${agent?.state} abandon abandoned host_shutdown`
      ])
      assert.deepInclude(left(draft, seq).job, { retryCount: 1, runAt: now, lastErrorCode: null })
      assert.deepInclude(left(draft, seq).agent, { standing: "ending", owner: self, restarts: [7] })
      assert.isNull(changed(draft, seq).retry)
    }
    assert.deepStrictEqual(commands(draft), ["Interrupt 1", "Interrupt 2", "Interrupt 3"])
    assert.strictEqual(draft.owned.size, 3)
  })

  it("leaves landings, closings and endings alone: each ends by its own answer (R26)", () => {
    const jobs = [
      working("lander", { phase: "land" }),
      working("full", { state: "landed", phase: "clean" }, { seq: 2, state: "COMPLETED" }),
      working("full", { state: "abandoned", standing: "ending" }, { seq: 3, state: "RETRY_SCHEDULED" })
    ]
    const draft = turn(jobs, [stopping])
    assert.strictEqual(draft.changes.size, 0)
    assert.deepStrictEqual(draft.commands, [])
  })

  it("is done when the fibers have ended: the jobs wait for another host", () => {
    const stopped = left(turn([working()], [stopping])).job
    const draft = turn([stopped], [{ _tag: "Ended", ...who }])
    assert.deepInclude(left(draft).agent, { standing: "waiting", owner: null })
    assert.strictEqual(draft.owned.size, 0)
    const taken = turn([], [], { peek: [left(draft).job] })
    assert.deepInclude(left(taken).agent, { state: "working", incarnation: 2, owner: self })
  })

  it("stops once, however often it is told to", () => {
    assert.deepStrictEqual(commands(turn([working()], [stopping, stopping])), ["Interrupt 1"])
  })
})

const orphaned = (job: ReturnType<typeof pending>): Signal => ({ _tag: "Orphaned", job })
const lost = (...agent: Parameters<typeof working>) => {
  const [workflow, patch, job] = agent
  return working(workflow, { owner: gone, ...patch }, job)
}

describe("adopting the work of a lost host", () => {
  it("hands an agent that ran back to whoever takes it next: unburned, due now, counted in the restart budget (R2)", () => {
    for (const [state, phase] of [
      ["dispatched", "prepare"],
      ["working", "prepare"],
      ["working", "work"],
      ["working", "verify"]
    ] as const) {
      const job = lost("full", { state, phase, workspace: "/w/1", restarts: [now - 10] }, { retryCount: 1 })
      const draft = turn([], [orphaned(job)])
      assert.deepStrictEqual(moves(draft), [
        "job PROCESSING schedule_retry RETRY_SCHEDULED host_lost",
        `agent ${state} abandon abandoned host_lost`
      ])
      assert.deepInclude(left(draft).job, { retryCount: 1, runAt: now, lastErrorCode: null })
      assert.deepInclude(left(draft).agent, {
        standing: "waiting",
        owner: null,
        phase: null,
        incarnation: 1,
        workspace: "/w/1",
        restarts: [now - 10, now]
      })
      assert.isNull(changed(draft).retry)
      assert.strictEqual(draft.owned.size, 0)
      assert.deepStrictEqual(commands(draft), ["Forget 1"])
    }
  })

  it("is contested, since each living host sees the same orphans: the loser loses a job, not itself (R8, R19)", () => {
    for (const job of [
      lost(),
      lost("lander", { phase: "land" }),
      lost("full", { state: "landed", phase: "archive", workspace: "/w/1" }, { state: "COMPLETED" }),
      lost("plain", { state: "abandoned", standing: "ending" }, { state: "RETRY_SCHEDULED" })
    ])
      assert.isTrue(changed(turn([], [orphaned(job)])).contested)
  })

  it("happens once: an orphan that this host owns by now, or has moved in this turn, is none", () => {
    const landed = lost(
      "full",
      { state: "landed", phase: "archive", workspace: "/w/1" },
      { state: "COMPLETED" }
    )
    const twice = turn([], [orphaned(landed), orphaned(landed)])
    assert.strictEqual(left(twice).agent.incarnation, 2)
    assert.deepStrictEqual(commands(twice), ["Archive 1"])
    const later = turn([left(twice).job], [orphaned(landed)])
    assert.strictEqual(later.changes.size, 0)
    assert.deepStrictEqual(later.commands, [])
    assert.strictEqual(moves(turn([], [orphaned(lost()), orphaned(lost())])).length, 2)
  })

  it("takes over what a landed agent still owes, in a new incarnation and without a move (R23)", () => {
    for (const phase of ["archive", null] as const) {
      const landed = lost("full", { state: "landed", phase, workspace: "/w/1" }, { state: "COMPLETED" })
      const draft = turn([], [orphaned(landed)])
      assert.deepStrictEqual(moves(draft), [])
      assert.deepInclude(left(draft).agent, {
        state: "landed",
        incarnation: 2,
        owner: self,
        phase: "archive",
        standing: null
      })
      assert.deepStrictEqual(commands(draft), ["Archive 1"])
      const done = turn([left(draft).job], [{ _tag: "Archived", ...who, artifacts: [] }])
      assert.deepStrictEqual(notes(done), ["1/1 late_completion stale_incarnation"])
    }
  })

  it("goes on with a teardown that had begun, and doesn't archive its ruins over what was archived", () => {
    for (const [agent, job] of [
      [{ state: "landed", standing: null }, { state: "COMPLETED" }],
      [{ state: "abandoned", standing: "closing" }, { state: "CANCELLED" }]
    ] as const) {
      const draft = turn([], [orphaned(lost("full", { ...agent, phase: "clean", workspace: "/w/1" }, job))])
      assert.deepInclude(left(draft).agent, { ...agent, incarnation: 2, owner: self, phase: "clean" })
      assert.deepStrictEqual(commands(draft), ["Clean 1"])
    }
  })

  it("closes the agent of a job that is over: its fiber has died with its host, ending or archived or not even owned", () => {
    for (const agent of [
      { standing: "ending", phase: "work" },
      { standing: "closing", phase: "archive" },
      { standing: "closing", phase: null, owner: null }
    ] as const) {
      const job = lost("full", { state: "abandoned", workspace: "/w/1", ...agent }, { state: "CANCELLED" })
      const draft = turn([], [orphaned(job)])
      assert.deepStrictEqual(moves(draft), [])
      assert.deepInclude(left(draft).agent, {
        standing: "closing",
        phase: "archive",
        incarnation: 2,
        owner: self
      })
      assert.deepStrictEqual(commands(draft), ["Archive 1"])
    }
    const bare = lost("plain", { state: "abandoned", standing: "ending" }, { state: "DEAD_LETTERED" })
    assert.deepStrictEqual(moves(turn([], [orphaned(bare)])), [
      "agent abandoned tombstone tombstoned quarantined"
    ])
  })

  it("lets an ending agent wait for its retry, as it would have when its fiber ended", () => {
    const ending = lost(
      "full",
      { state: "abandoned", standing: "ending", workspace: "/w/1" },
      { state: "RETRY_SCHEDULED", retryCount: 1, runAt: now + 5_000 }
    )
    const draft = turn([], [orphaned(ending)])
    assert.deepStrictEqual(moves(draft), [])
    assert.deepInclude(left(draft).agent, { standing: "waiting", owner: null, phase: null, restarts: [] })
    assert.deepInclude(left(draft).job, { runAt: now + 5_000, retryCount: 1 })
  })

  it("repeats no landing that had begun: it may have happened, and its lander is asked first, at once (R27)", () => {
    const draft = turn([], [orphaned(lost("full", { phase: "land", workspace: "/w/1" }))])
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED host_lost ORCH_LANDING_UNKNOWN",
      "agent working abandon abandoned host_lost ORCH_LANDING_UNKNOWN"
    ])
    assert.deepInclude(left(draft).agent, {
      standing: "landing_unknown",
      phase: null,
      owner: null,
      workspace: "/w/1",
      restarts: [now]
    })
    assert.strictEqual(left(draft).job.runAt, now)
    const interrupted = lost(
      "full",
      { state: "abandoned", standing: "ending", phase: "land" },
      { state: "RETRY_SCHEDULED" }
    )
    assert.strictEqual(left(turn([], [orphaned(interrupted)])).agent.standing, "landing_unknown")
  })

  it("takes over nothing of a job that has no agent", () => {
    assert.strictEqual(turn([], [orphaned(pending())]).changes.size, 0)
  })
})

describe("the restart budget (R2)", () => {
  it("is spent by lost hosts alone: one more than it allows ends the job in a letter", () => {
    const job = lost("plain", { restarts: [now - 20, now - 10] })
    const draft = turn([], [orphaned(job)])
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING fail FAILED restart_budget_exhausted ORCH_RETRY_BUDGET_EXHAUSTED",
      "job FAILED dead_letter DEAD_LETTERED quarantined ORCH_RETRYABLE_AGENT_CRASHED",
      "agent working abandon abandoned host_lost",
      "agent abandoned tombstone tombstoned quarantined"
    ])
    assert.deepInclude(changed(draft).letter, {
      failureErrorCode: "ORCH_RETRYABLE_AGENT_CRASHED",
      failureSummary: "its host was lost"
    })
    assert.strictEqual(left(draft).job.retryCount, 0)
  })

  it("forgives what has left its window", () => {
    const draft = turn([], [orphaned(lost("plain", { restarts: [now - 600_000, now - 10] }))])
    assert.strictEqual(left(draft).job.state, "RETRY_SCHEDULED")
    assert.deepStrictEqual(left(draft).agent.restarts, [now - 10, now])
  })

  it("is not touched by failures, silences, holds, shutdowns and recoveries", () => {
    const spent = { restarts: [now - 20, now - 10] }
    const job = working("plain", spent)
    const signals: ReadonlyArray<Signal> = [
      { _tag: "WorkFailed", ...who, failure: failure("EXT_A") },
      { _tag: "WorkFailed", ...who, failure: failure("EXT_A", { retryAfterMillis: 1_000 }) },
      {
        _tag: "Overdue",
        ...who,
        why: "stream_silence",
        phase: "work",
        failure: failure("ORCH_RETRYABLE_STREAM_SILENCE")
      },
      stopping
    ]
    for (const signal of signals) {
      const draft = turn([job], [signal])
      assert.strictEqual(left(draft).job.state, "RETRY_SCHEDULED")
      assert.deepStrictEqual(left(draft).agent.restarts, spent.restarts)
    }
    assert.deepStrictEqual(
      left(turn([], [], { peek: [waiting("plain", spent)] })).agent.restarts,
      spent.restarts
    )
  })
})
