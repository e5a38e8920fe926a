// Steps that break the invariants of steps, each beside the sound one that it was made of.
import type { EventDraft } from "../../src/domain/LifecycleEvent.ts"
import type { World } from "../../src/model/world/World.ts"
import {
  begun,
  changedHost,
  done,
  finish,
  happen,
  idle,
  storedOf,
  submit,
  turn,
  withAgent,
  withJob,
  withRecord
} from "./WorldScene.ts"

interface BrokenStep {
  readonly id: string
  readonly before: World
  readonly sound: World
  readonly after: World
  readonly says: RegExp
}

const working = begun("plain")
/** The work has ended well, and nobody has heard it yet. */
const ended = happen(working, finish("done"))
const completed = happen(ended, turn())
const failing = happen(working, finish("failed"))
const retried = happen(failing, turn())
const closed = done("plain")
const verifying = happen(begun("gates"), finish("done"))
const verified = happen(verifying, turn())
const paused = { paused: true, draining: false, slots: null }
const held = happen(idle, { _tag: "Pause" })
const waiting = happen(idle, submit("plain"))

/** The world with the events of a step changed. */
const retold = (
  before: World,
  after: World,
  change: (event: EventDraft) => ReadonlyArray<EventDraft>
): World => {
  const told = storedOf(before).events.length
  const { events } = storedOf(after)
  return withRecord(after, { events: [...events.slice(0, told), ...events.slice(told).flatMap(change)] })
}

const commit = storedOf(verified).markers.get("commit")

export const steps: ReadonlyArray<BrokenStep> = [
  {
    id: "writes-raise-the-version",
    before: ended,
    sound: completed,
    after: withJob(completed, { version: storedOf(completed).job.version + 1 }),
    says: /raised by 2 in 1 writes/
  },
  {
    id: "exactly-one-completer",
    before: ended,
    sound: completed,
    after: retold(ended, completed, (event) => (event.event === "complete" ? [event, event] : [event])),
    says: /completed twice/
  },
  {
    id: "exactly-one-completer",
    before: changedHost(ended, { living: false }),
    sound: ended,
    after: completed,
    says: /no living host owned it/
  },
  {
    id: "no-stale-completion",
    before: ended,
    sound: completed,
    after: retold(ended, completed, (event) => [
      event.event === "land" ? { ...event, incarnation: 0 } : event
    ]),
    says: /incarnation 0 landed while 1 was alive/
  },
  {
    id: "no-stale-completion",
    before: verifying,
    sound: verified,
    after: withRecord(verified, {
      markers: new Map(commit === undefined ? [] : [["commit", { ...commit, result: '{"by":7}' }]])
    }),
    says: /what incarnation 7 brought back was taken for the work of 1/
  },
  {
    id: "no-stale-completion",
    before: withAgent(ended, { state: "abandoned" }),
    sound: ended,
    after: completed,
    says: /incarnation 1 landed though it was abandoned/
  },
  {
    id: "moves-follow-the-table",
    before: ended,
    sound: completed,
    after: retold(ended, completed, (event) => (event.event === "complete" ? [] : [event])),
    says: /the story ends in PROCESSING, and the job is COMPLETED/
  },
  {
    id: "moves-follow-the-table",
    before: ended,
    sound: completed,
    after: retold(ended, completed, (event) => [
      event.event === "land" ? { ...event, event: "recover" } : event
    ]),
    says: /"agent working recover landed" is no edge of the table/
  },
  {
    id: "moves-are-told",
    before: ended,
    sound: completed,
    after: retold(ended, completed, (event) => [{ ...event, actor: "" }]),
    says: /lacks actor or order/
  },
  {
    id: "moves-are-told",
    before: ended,
    sound: completed,
    after: retold(ended, completed, (event) => [{ ...event, transitionReason: "whim" }]),
    says: /has no reason "whim"/
  },
  {
    id: "final-states-are-left-by-nobody",
    before: closed,
    sound: closed,
    after: withJob(closed, { state: "PROCESSING" }),
    says: /it was COMPLETED, and is PROCESSING/
  },
  {
    id: "attempts-within-budget",
    before: failing,
    sound: retried,
    after: withJob(retried, { maxRetries: 0 }),
    says: /EXT_WORK was repeated after attempt 1/
  },
  {
    id: "retries-are-logged",
    before: failing,
    sound: retried,
    after: withRecord(retried, { retries: [] }),
    says: /retry_count rose by 1, and the log by 0/
  },
  {
    id: "paused-host-starts-nothing",
    before: changedHost(waiting, { control: paused }),
    sound: changedHost(waiting, { control: paused }),
    after: changedHost(happen(waiting, turn()), { control: paused }),
    says: /has begun job 1, though it is paused/
  },
  {
    id: "pause-ends-by-resume",
    before: held,
    sound: happen(held, { _tag: "Resume" }),
    after: { ...held, intents: [] },
    says: /nobody has resumed it/
  }
]
