import { assert, describe, it } from "@effect/vitest"
import type { Act } from "../../src/model/world/Act.ts"
import { seen, tellAct, tellStep } from "../../src/model/world/Telling.ts"
import { alarm, withHost } from "../../src/model/world/World.ts"
import { begun, finish, happen, idle, submit, turn } from "./WorldScene.ts"

const working = begun("plain")
const host = { epoch: 1 }
const job = { ...host, seq: 1 }

const words: { readonly [Tag in Act["_tag"]]: readonly [Act & { readonly _tag: Tag }, string] } = {
  Submit: [
    {
      _tag: "Submit",
      workflowType: "plain",
      payload: "1",
      maxRetries: 2,
      priority: 0,
      delayMillis: 0
    },
    "a caller submits plain with payload 1 and 2 retries"
  ],
  Turn: [{ _tag: "Turn", ...host, take: [] }, "host 1 (epoch 1) takes a turn and looks for due jobs"],
  Race: [
    { _tag: "Race", first: 2, second: 1 },
    "host 2 (epoch 2) and host 1 (epoch 1) decide at once, and commit in this order"
  ],
  Busy: [{ _tag: "Busy", ...host }, "host 1 (epoch 1) decides, and the store is busy"],
  DieAfterCommit: [
    { _tag: "DieAfterCommit", ...host },
    "host 1 (epoch 1) takes a turn, and dies after its commit"
  ],
  Finish: [
    { _tag: "Finish", ...job, outcome: "landed_unknown" },
    "on host 1 (epoch 1), the work of job 1 ends: it has landed, and nobody can tell"
  ],
  End: [
    { _tag: "End", ...job, how: "hung" },
    "on host 1 (epoch 1), the work of job 1 was interrupted: it hangs, and is given up"
  ],
  Overdue: [{ _tag: "Overdue", ...job }, "on host 1 (epoch 1), the work of job 1 is silent or late"],
  Repeat: [
    { _tag: "Repeat", ...host, index: 0 },
    "host 1 (epoch 1) is handed a signal that it has taken before"
  ],
  Cancel: [{ _tag: "Cancel", job: 1 }, "an operator cancels job 1"],
  Step: [
    { _tag: "Step", ...job, how: "pay" },
    "on host 1 (epoch 1), the work of job 1 goes on: it does its step"
  ],
  Answer: [{ _tag: "Answer", job: 1 }, "an operator says what became of the step of job 1"],
  Look: [{ _tag: "Look", ...host }, "host 1 (epoch 1) looks at what operators want"],
  Adopt: [{ _tag: "Adopt", ...host }, "host 1 (epoch 1) looks at the rows of lost hosts"],
  Stop: [{ _tag: "Stop", ...host }, "host 1 (epoch 1) is told to stop"],
  Crash: [{ _tag: "Crash", ...host }, "host 1 (epoch 1) crashes"],
  Fence: [{ _tag: "Fence", epoch: 9 }, "epoch 9 is taken for lost, and doesn't know it"],
  Enlist: [{ _tag: "Enlist", host: 3 }, "host 3 starts"],
  Leave: [{ _tag: "Leave", ...host }, "host 1 (epoch 1) leaves"],
  Due: [{ _tag: "Due", job: 1 }, "job 1 is due"],
  Pause: [{ _tag: "Pause" }, "an operator pauses the fleet"],
  Resume: [{ _tag: "Resume" }, "an operator resumes the fleet"],
  SubmitAgain: [{ _tag: "SubmitAgain", job: 1 }, "the caller of job 1 submits it again"],
  Replay: [{ _tag: "Replay", job: 1, operators: 2 }, "two operators replay job 1 at once"],
  Wait: [{ _tag: "Wait", millis: -2_000 }, "-2000 ms pass"]
}

describe("a step in words", () => {
  for (const [tag, [act, said]] of Object.entries(words))
    it(`says of ${tag} who does what`, () => {
      assert.strictEqual(tellAct(working, act), said)
    })

  it("says what a turn has moved and begun", () => {
    const before = happen(idle, submit("plain"))
    assert.deepStrictEqual(tellStep(before, turn(), happen(before, turn())), {
      act: "host 1 (epoch 1) takes a turn",
      seen: [
        "job 1: PENDING -validate-> VALIDATING (slot_free), VALIDATING -accept-> PROCESSING (payload_valid)",
        "agent 1 (incarnation 1): new -dispatch-> dispatched (job_accepted), dispatched -prepare-> working (prepared)",
        "host 1 begins work of job 1, incarnation 1"
      ]
    })
  })

  it("names the signals that a turn is taken on", () => {
    const late = happen(working, { _tag: "Overdue", ...job }, finish("done"))
    assert.strictEqual(
      tellAct(late, { _tag: "Turn", ...host, take: [1, 0] }),
      "host 1 (epoch 1) takes a turn on Worked of job 1 (incarnation 1) and Overdue of job 1 (incarnation 1)"
    )
  })

  it("says so where nothing follows from a signal", () => {
    const late = happen(working, finish("done"), turn(), finish("done"))
    const again = late.hosts.reduce((next, one) => withHost(next, { ...one, inbox: one.taken }), late)
    const act = { _tag: "Turn", ...host, take: [0] } as const
    assert.deepStrictEqual(tellStep(again, act, happen(again, act)).seen, ["nothing follows from it"])
  })

  it("says what becomes of a step, of a cancel and of a pause", () => {
    const granted = happen(working, { _tag: "Step", ...job, how: "begin" })
    const begun = happen(granted, turn())
    assert.include(seen(granted, begun), "the step of job 1 is written down as started")
    const failing = happen(begun, finish("failed"))
    assert.include(
      seen(failing, happen(failing, turn())),
      "job 1 is parked, and asks an operator about its step"
    )
    const unwanted = happen(working, { _tag: "Cancel", job: 1 }, { _tag: "Look", ...host })
    assert.include(seen(unwanted, happen(unwanted, turn())), "the cancel of job 1 is answered: cancelled")
    const held = happen(working, { _tag: "Pause" })
    assert.include(seen(held, happen(held, { _tag: "Look", ...host })), "host 1 is paused from now on")
  })

  it("says what waits in a mailbox, what is interrupted, what happens outside, and who is over", () => {
    assert.deepStrictEqual(seen(working, happen(working, finish("done"))), [
      "host 1 is told: Worked of job 1 (incarnation 1)"
    ])
    const late = happen(working, { _tag: "Overdue", ...job })
    assert.include(seen(late, happen(late, turn())), "host 1 interrupts work of job 1, incarnation 1")
    const landing = happen(begun("lander"), finish("done"), turn())
    assert.include(seen(landing, happen(landing, finish("landed"))), "job 1 is landed outside")
    assert.deepStrictEqual(seen(working, happen(working, { _tag: "Crash", epoch: 1 })), ["host 1 is over"])
    assert.deepStrictEqual(seen(idle, alarm(idle, "landed-again", "it landed again")), ["! it landed again"])
    assert.deepStrictEqual(seen(idle, idle), [])
  })
})
