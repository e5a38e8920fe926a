// Worlds that would break liveness if they stood still for ever, and worlds that have gone on and owe nothing any more.
import type { World } from "../../src/model/world/World.ts"
import { begun, changedHost, done, finish, happen, idle, submit, turn, withJob } from "./WorldScene.ts"

interface Standstill {
  readonly id: string
  readonly world: World
  readonly end: World
}

const working = begun("plain")
const closed = done("plain")
const silent = happen(working, { _tag: "Overdue", epoch: 1, seq: 1 }, turn())
const retried = happen(
  silent,
  { _tag: "End", epoch: 1, seq: 1, how: "ended" },
  turn(),
  { _tag: "Wait", millis: 60_000 },
  turn()
)
const paused = happen(idle, { _tag: "Pause" })
const respected = happen(paused, { _tag: "Look", epoch: 1 }, { _tag: "Look", epoch: 2 })
const resumed = happen(respected, { _tag: "Resume" })
const cancelled = happen(working, { _tag: "Cancel", job: 1 })
const lost = happen(working, { _tag: "Crash", epoch: 1 })
const failed = happen(working, finish("permanent"), turn())

export const standing: ReadonlyArray<Standstill> = [
  { id: "dispatched-is-tombstoned", world: working, end: closed },
  { id: "abandoned-moves-on", world: silent, end: retried },
  { id: "processing-ends", world: working, end: closed },
  { id: "lost-work-is-adopted", world: lost, end: happen(lost, { _tag: "Adopt", epoch: 2 }, turn(2)) },
  { id: "runnable-work-starts", world: happen(idle, submit("plain")), end: working },
  {
    id: "mailboxes-drain",
    world: happen(working, finish("done")),
    end: happen(working, finish("done"), turn())
  },
  { id: "pause-is-respected", world: paused, end: respected },
  {
    id: "resume-ends-a-pause",
    world: resumed,
    end: happen(resumed, { _tag: "Look", epoch: 1 }, { _tag: "Look", epoch: 2 })
  },
  {
    id: "cancel-is-answered",
    world: cancelled,
    end: happen(
      cancelled,
      { _tag: "Look", epoch: 1 },
      turn(),
      { _tag: "End", epoch: 1, seq: 1, how: "ended" },
      turn()
    )
  },
  // EXT_WORK is quarantined at the end of its budget, DQ_WORLD is not
  { id: "failed-leads-to-quarantine", world: withJob(failed, { lastErrorCode: "EXT_WORK" }), end: failed },
  {
    id: "runnable-work-starts",
    world: happen(idle, submit("plain")),
    end: changedHost(changedHost(happen(idle, submit("plain")), { refills: false }), { refills: false }, 2)
  }
]
