import { assert, describe, it } from "@effect/vitest"
import type { Agent } from "../../src/domain/Agent.ts"
import type { Job } from "../../src/domain/Job.ts"
import { readHold } from "../../src/domain/JobHold.ts"
import type { Settlement } from "../../src/domain/Settlement.ts"
import { begin } from "../../src/domain/turn/Draft.ts"
import { settle } from "../../src/domain/turn/settle.ts"
import type { Signal } from "../../src/domain/turn/Signal.ts"
import type { UnknownOutcome, WorkflowPolicy } from "../../src/domain/WorkflowPolicy.ts"
import {
  cancelWanted,
  changed,
  commands,
  env,
  failure,
  gone,
  left,
  moves,
  notes,
  now,
  self
} from "./Scene.ts"
import { turn as turnOf, waiting, workflow, workflows, working } from "./Scene.ts"

const policies: ReadonlyMap<string, WorkflowPolicy> = new Map([
  ...workflows,
  ...(["rerun", "fail", "ask"] as const).map(
    (unknownOutcome: UnknownOutcome) =>
      [unknownOutcome, workflow(unknownOutcome, { unknownOutcome })] as const
  )
])
const turn = (owned: ReadonlyArray<Job>, signals: ReadonlyArray<Signal>) =>
  turnOf(owned, signals, { env: { workflows: policies } })

const who = { seq: 1, incarnation: 1 } as const
const started = (name: string, id = 1, doubtful = false): Signal => ({
  _tag: "MarkerStarted",
  ...who,
  id,
  name,
  doubtful
})
const finished = (name: string, result: string | null = '{"ok":true}', id = 2): Signal => ({
  _tag: "MarkerFinished",
  ...who,
  id,
  name,
  result
})
const workFailed: Signal = { _tag: "WorkFailed", ...who, failure: failure("EXT_A") }
const answers = (draft: ReturnType<typeof turn>) =>
  draft.commands.flatMap((command) =>
    command._tag === "Acknowledge" ? [[command.id, command.accepted]] : []
  )
const asks = (job: Job) => readHold(job.hold)?.markers ?? []

const parked = (patch: Partial<Agent> = {}, job: Partial<Job> = {}): Job =>
  waiting(
    "ask",
    { steps: ["pay"], ...patch },
    { hold: JSON.stringify({ kind: "outcome_unknown", markers: ["pay"], at: 1 }), runAt: 7_777_777, ...job }
  )
const wanted = (job: Job, settlement: Settlement): Signal => ({
  _tag: "SettleWanted",
  job,
  settlement,
  actor: "operator:ana",
  text: "looked at the bank",
  intent: 9
})

describe("a marker", () => {
  it("of a working incarnation is written, kept among its open steps until it is finished, and answered after the commit (R28)", () => {
    const draft = turn([working("ask")], [started("pay"), started("mail", 2), finished("pay", "7", 3)])
    assert.deepStrictEqual(changed(draft).markers, [
      { name: "pay", state: "finished", incarnation: 1, at: now, result: "7" },
      { name: "mail", state: "started", incarnation: 1, at: now, result: null }
    ])
    assert.deepStrictEqual(left(draft).agent.steps, ["mail"])
    assert.deepStrictEqual(changed(draft).events, [])
    assert.deepStrictEqual(answers(draft), [
      [1, true],
      [2, true],
      [3, true]
    ])
  })

  it("that is newly finished begins the restart budget anew, and one that is only begun or cleared doesn't (R2)", () => {
    const job = working("ask", { steps: ["pay"], restarts: [now - 20, now - 10] })
    assert.deepStrictEqual(left(turn([job], [finished("pay")])).agent.restarts, [])
    for (const signal of [started("mail"), finished("pay", null)])
      assert.deepStrictEqual(left(turn([job], [signal])).agent.restarts, [now - 20, now - 10])
  })

  it("of a step that a replayed job has left open ends the life before it begins, by the workflow's policy (R31)", () => {
    const asked = turn([working("ask")], [started("pay", 1, true)])
    assert.deepStrictEqual(answers(asked), [[1, false]])
    assert.deepStrictEqual(moves(asked), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED outcome_unknown",
      "agent working abandon abandoned outcome_unknown"
    ])
    assert.deepStrictEqual(asks(left(asked).job), ["pay"])
    assert.strictEqual(left(asked).job.retryCount, 0)
    const failed = turn([working("fail")], [started("pay", 1, true)])
    assert.deepInclude(left(failed).job, { state: "DEAD_LETTERED", lastErrorCode: "ORCH_OUTCOME_UNKNOWN" })
    const rerun = turn([working("rerun")], [started("pay", 1, true)])
    assert.deepStrictEqual(answers(rerun), [[1, true]])
  })

  it("that is known not to have been done is cleared, and is open no more", () => {
    const draft = turn([working("ask", { steps: ["pay"] })], [finished("pay", null)])
    assert.deepInclude(changed(draft).markers[0], { state: "cleared", result: null })
    assert.deepStrictEqual(left(draft).agent.steps, [])
  })

  it("of an attempt's own step is never an open question", () => {
    const draft = turn([working("ask")], [started("think@1"), workFailed])
    assert.deepInclude(changed(draft).markers[0], { name: "think@1", state: "started" })
    assert.deepInclude(left(draft).job, { state: "RETRY_SCHEDULED", hold: null })
  })

  it("that nobody owns, or that another life asks for, is refused and noted", () => {
    const stale = turn([working("ask", { incarnation: 2 })], [started("pay"), finished("pay")])
    assert.deepStrictEqual(notes(stale), [
      "1/1 refused_message stale_incarnation",
      "1/1 refused_message stale_incarnation"
    ])
    assert.strictEqual(stale.changes.size, 0)
    assert.deepStrictEqual(answers(stale), [
      [1, false],
      [2, false]
    ])
    assert.deepStrictEqual(answers(turn([], [started("pay")])), [[1, false]])
  })

  it.each(["prepare", "verify", "land"] as const)("is refused in phase %s", (phase) => {
    const draft = turn([working("full", { phase })], [started("pay"), finished("pay")])
    assert.deepStrictEqual(answers(draft), [
      [1, false],
      [2, false]
    ])
    assert.strictEqual(draft.changes.size, 0)
  })

  it("is not begun by an incarnation that is being interrupted, which may still say that one is done", () => {
    const ending = working(
      "ask",
      { state: "abandoned", standing: "ending", steps: ["pay"] },
      {
        state: "RETRY_SCHEDULED",
        hold: JSON.stringify({ kind: "outcome_unknown", markers: ["pay"], at: 1 })
      }
    )
    const draft = turn([ending], [started("mail"), finished("pay")])
    assert.deepStrictEqual(answers(draft), [
      [1, false],
      [2, true]
    ])
    assert.deepInclude(left(draft).job, { hold: null })
    assert.deepStrictEqual(left(draft).agent.steps, [])
  })
})

describe("a step that was started and not finished", () => {
  it("parks the job of a workflow that asks, its attempt burned as ever, and no peek finds it", () => {
    const draft = turn([working("ask", { steps: ["pay"] })], [workFailed])
    assert.deepStrictEqual(moves(draft), [
      "job PROCESSING schedule_retry RETRY_SCHEDULED attempt_failed EXT_A",
      "agent working abandon abandoned attempt_failed EXT_A"
    ])
    const { agent, job } = left(draft)
    assert.deepInclude(agent, { standing: "waiting", owner: null, steps: ["pay"] })
    assert.deepInclude(job, { retryCount: 1 })
    assert.deepStrictEqual(readHold(job.hold), { kind: "outcome_unknown", markers: ["pay"], at: now })
  })

  it("lets the job of a workflow that reruns go on, the step still open", () => {
    const draft = turn([working("rerun", { steps: ["pay"] })], [workFailed])
    assert.deepInclude(left(draft).job, { state: "RETRY_SCHEDULED", hold: null })
    const again = turn(
      [working("rerun", { steps: ["pay"], incarnation: 1 })],
      [started("pay"), finished("pay")]
    )
    assert.deepStrictEqual(left(again).agent.steps, [])
  })

  it("ends the job of a workflow that fails, in quarantine, naming the step", () => {
    const draft = turn([working("fail", { steps: ["pay", "mail"] })], [workFailed])
    assert.deepStrictEqual(moves(draft).slice(0, 2), [
      "job PROCESSING fail FAILED outcome_unknown ORCH_OUTCOME_UNKNOWN",
      "job FAILED dead_letter DEAD_LETTERED quarantined ORCH_OUTCOME_UNKNOWN"
    ])
    assert.include(changed(draft).letter?.failureSummary, `"pay", "mail": it failed with EXT_A`)
    assert.strictEqual(left(draft).job.lastErrorCode, "ORCH_OUTCOME_UNKNOWN")
  })

  const ends: ReadonlyArray<readonly [string, Signal]> = [
    [
      "silence",
      {
        _tag: "Overdue",
        ...who,
        why: "stream_silence",
        phase: "work",
        failure: failure("ORCH_RETRYABLE_STREAM_SILENCE")
      }
    ],
    ["a crash", { _tag: "WorkFailed", ...who, failure: failure("ORCH_RETRYABLE_AGENT_CRASHED") }],
    ["a rate limit", { _tag: "WorkFailed", ...who, failure: failure("EXT_A", { retryAfterMillis: 5_000 }) }],
    ["a stop", { _tag: "Stopping" }]
  ]
  it.each(ends)("is asked about after %s", (_, signal) => {
    assert.deepStrictEqual(asks(left(turn([working("ask", { steps: ["pay"] })], [signal])).job), ["pay"])
    assert.strictEqual(left(turn([working("rerun", { steps: ["pay"] })], [signal])).job.hold, null)
    const failed = left(turn([working("fail", { steps: ["pay"] })], [signal])).job
    assert.deepInclude(failed, { state: "DEAD_LETTERED", lastErrorCode: "ORCH_OUTCOME_UNKNOWN" })
  })

  it("is asked about after its host was lost, by whoever adopts it, known to it or not", () => {
    for (const type of ["ask", "nobody's"]) {
      const lost = working(type, { owner: gone, steps: ["pay"] })
      assert.deepStrictEqual(asks(left(turn([], [{ _tag: "Orphaned", job: lost }])).job), ["pay"])
    }
    const ending = working(
      "ask",
      { owner: gone, state: "abandoned", standing: "ending", steps: ["pay"] },
      {
        state: "RETRY_SCHEDULED",
        hold: "kept"
      }
    )
    assert.strictEqual(left(turn([], [{ _tag: "Orphaned", job: ending }])).job.hold, "kept")
  })

  it("leaves a permanent failure its own code, for nothing runs again", () => {
    for (const type of ["ask", "fail", "rerun"]) {
      const draft = turn(
        [working(type, { steps: ["pay"] })],
        [{ _tag: "WorkFailed", ...who, failure: failure("DQ_A") }]
      )
      assert.deepInclude(left(draft).job, { state: "DEAD_LETTERED", lastErrorCode: "DQ_A", hold: null })
      assert.deepStrictEqual(left(draft).agent.steps, ["pay"])
    }
  })

  it("holds up no cancel: the job is over, and the record of the step stays", () => {
    const draft = turn([], [cancelWanted(parked())])
    assert.deepInclude(left(draft).job, { state: "CANCELLED", hold: null })
    assert.deepInclude(left(draft).agent, { state: "tombstoned", steps: ["pay"] })
  })
})

describe("settling", () => {
  it("as done gives the step its result and the job its turn: due now, and parked no more (R28)", () => {
    const job = parked()
    const draft = turn([], [wanted(job, { marker: "pay", outcome: "done", result: { id: 7 } })])
    assert.deepInclude(changed(draft), { contested: true })
    assert.deepStrictEqual(changed(draft).markers, [
      { name: "pay", state: "finished", incarnation: 1, at: now, result: '{"id":7}' }
    ])
    assert.deepInclude(left(draft).job, { state: "RETRY_SCHEDULED", hold: null, runAt: now })
    assert.deepStrictEqual(left(draft).agent.steps, [])
    assert.deepStrictEqual(moves(draft), ["job - marker_settled - operator"])
    assert.deepInclude(changed(draft).events[0], { actor: "operator:ana" })
    assert.include(changed(draft).events[0]?.detail, "looked at the bank")
    assert.deepStrictEqual(draft.settled, [{ intent: 9, outcome: "settled", job: 1 }])
  })

  it("as not done clears the step, and the next incarnation does it", () => {
    const draft = turn([], [wanted(parked(), { marker: "pay", outcome: "not_done" })])
    assert.deepInclude(changed(draft).markers[0], { state: "cleared", result: null })
    assert.deepInclude(left(draft).job, { hold: null, runAt: now })
  })

  it("of one among several leaves the job parked for the others", () => {
    const draft = turn(
      [],
      [wanted(parked({ steps: ["pay", "mail"] }), { marker: "mail", outcome: "not_done" })]
    )
    assert.deepStrictEqual(asks(left(draft).job), ["pay"])
    assert.strictEqual(left(draft).job.runAt, 7_777_777)
  })

  it("as failed ends the job in quarantine by the edges of the table, and closes its agent", () => {
    const draft = turn([], [wanted(parked({ workspace: "/w/1" }), { marker: "pay", outcome: "fail" })])
    assert.deepStrictEqual(moves(draft), [
      "job - marker_settled - operator",
      "job RETRY_SCHEDULED retry PROCESSING settled",
      "job PROCESSING fail FAILED outcome_unknown ORCH_OUTCOME_UNKNOWN",
      "job FAILED dead_letter DEAD_LETTERED quarantined ORCH_OUTCOME_UNKNOWN"
    ])
    assert.strictEqual(changed(draft).events[2]?.actor, "operator:ana")
    assert.deepInclude(left(draft).job, { state: "DEAD_LETTERED", hold: null })
    assert.deepStrictEqual(commands(draft), ["Archive 1"])
    const ending = working(
      "ask",
      { state: "abandoned", standing: "ending", steps: ["pay"] },
      {
        state: "RETRY_SCHEDULED",
        hold: "asked"
      }
    )
    const later = turn([ending], [wanted(ending, { marker: "pay", outcome: "fail" })])
    assert.deepInclude(changed(later), { contested: false })
    assert.deepInclude(left(later).agent, { standing: "ending", owner: self })
  })

  it("answers that a step is not open: one that is settled, unknown, or still being done", () => {
    const jobs = [
      parked({ steps: [] }, { hold: null }),
      parked({ steps: ["mail"] }),
      working("ask", { steps: ["pay"] })
    ]
    for (const job of jobs) {
      const draft = turn([], [wanted(job, { marker: "pay", outcome: "done" })])
      assert.deepStrictEqual(draft.settled, [{ intent: 9, outcome: "not_open" }])
      assert.strictEqual(draft.changes.size, 0)
    }
  })

  it("of an earlier life's step says nothing of a later one's: it is not open any more", () => {
    const lost = working("ask", { incarnation: 2, steps: ["pay"], owner: { host: 8, epoch: 8 } })
    const asked = { ...wanted(parked(), { marker: "pay", outcome: "not_done" }), askedOf: 1 }
    const draft = turn([], [{ _tag: "Orphaned", job: lost }, asked])
    assert.deepStrictEqual([asks(left(draft).job), left(draft).agent.steps], [["pay"], ["pay"]])
    assert.deepStrictEqual(
      [changed(draft).markers, draft.settled],
      [[], [{ intent: 9, outcome: "not_open" }]]
    )
  })

  it("of a job that is over sets the record right, and can't fail it again", () => {
    const over = parked(
      { state: "tombstoned", standing: null, disposition: "quarantined" },
      { state: "DEAD_LETTERED", hold: null }
    )
    const draft = turn([], [wanted(over, { marker: "pay", outcome: "done" })])
    assert.deepInclude(left(draft).job, { state: "DEAD_LETTERED", runAt: 7_777_777 })
    assert.deepInclude(changed(draft).markers[0], { state: "finished", result: "null" })
    const failing = turn([], [wanted(over, { marker: "pay", outcome: "fail" })])
    assert.deepStrictEqual(failing.settled, [{ intent: 9, outcome: "not_open" }])
  })

  it("is decided the same without a host, which leaves the closing agent to the next one", () => {
    const draft = begin(new Map())
    const wish = {
      settlement: { marker: "pay", outcome: "fail" },
      actor: "operator:ana",
      text: null,
      intent: null
    } as const
    assert.strictEqual(settle(draft, { ...env, owner: null }, parked({ workspace: "/w/1" }), wish), "settled")
    assert.deepInclude(left(draft).agent, { standing: "closing", owner: null, phase: null })
    assert.deepStrictEqual(draft.settled, [])
  })
})
