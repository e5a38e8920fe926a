// Worlds that break the invariants of states, each beside the sound one that it was made of.
import type { World } from "../../src/model/world/World.ts"
import {
  begun,
  changedHost,
  done,
  finish,
  happen,
  hostOf,
  idle,
  rung,
  storedOf,
  submit,
  turn,
  withAgent,
  withJob,
  withRecord
} from "./WorldScene.ts"

interface BrokenState {
  readonly id: string
  readonly sound: World
  readonly world: World
  readonly says: RegExp
}

const working = begun("plain")
const landed = done("lander")
const two = happen(working, submit("plain"))
const silent = happen(working, { _tag: "Overdue", epoch: 1, seq: 1 }, turn())
const failed = happen(working, finish("permanent"), turn())
const closed = done("plain")

const alarms: ReadonlyArray<BrokenState> = (
  [
    ["fenced-hosts-write-nothing", "written-when-fenced"],
    ["owner-keeps-its-row", "own-row-lost"],
    ["landing-tokens-grow", "owner-refused"],
    ["one-life-at-a-time", "begun-beside"],
    ["hung-life-keeps-its-workspace", "workspace-shared"],
    ["archive-before-teardown", "cleaned-unarchived"],
    ["archived-once", "archived-again"],
    ["lands-at-most-once", "landed-again"],
    ["turned-down-stays-down", "turned-down-result"],
    ["no-rest-beside-work", "rests-beside-work"],
    ["terminal-states-absorb", "written-when-over"],
    ["one-live-job-a-key", "key-shared"],
    ["one-replay-a-letter", "replayed-twice"],
    ["cancelled-means-cancelled", "cancel-misreported"]
  ] as const
).map(([id, name]) => ({ id, sound: idle, world: rung(name), says: /something has happened/ }))

const lostHost = {
  ...storedOf(working).events[0],
  subjectKind: "job",
  event: "schedule_retry",
  fromState: "PROCESSING",
  toState: "RETRY_SCHEDULED",
  transitionReason: "host_lost",
  errorCode: null,
  actor: "host:1",
  occurredAt: 5,
  incarnation: 1,
  detail: null
} as const

export const states: ReadonlyArray<BrokenState> = [
  ...alarms,
  {
    id: "one-live-marker",
    sound: working,
    world: changedHost(working, { fibers: hostOf(working).fibers }, 2),
    says: /job 1 runs on two living hosts/
  },
  {
    id: "one-live-marker",
    sound: working,
    world: changedHost(working, { owned: hostOf(working).owned }, 2),
    says: /job 1 is owned by two living hosts/
  },
  {
    id: "memory-is-the-store",
    sound: working,
    world: changedHost(working, { owned: new Map() }),
    says: /knows of 0 jobs, and owns 1/
  },
  {
    id: "memory-is-the-store",
    sound: working,
    world: withJob(working, { retryCount: 1 }),
    says: /knows job 1 otherwise than the store/
  },
  {
    id: "fibers-are-owned",
    sound: working,
    world: changedHost(working, { owned: new Map() }),
    says: /runs for an incarnation that it doesn't own/
  },
  {
    id: "abandoned-fibers-are-stopped",
    sound: silent,
    world: changedHost(silent, {
      fibers: new Map(
        Array.from(hostOf(silent).fibers, ([seq, fiber]) => [seq, { ...fiber, stopping: false }])
      )
    }),
    says: /goes on, though its agent is abandoned/
  },
  {
    id: "owed-work-moves",
    sound: working,
    world: changedHost(working, { fibers: new Map() }),
    says: /job 1 is stuck/
  },
  {
    id: "archive-before-teardown",
    sound: working,
    world: changedHost(working, {
      fibers: new Map(
        Array.from(hostOf(working).fibers, ([seq, fiber]) => [seq, { ...fiber, phase: "clean" }])
      )
    }),
    says: /torn down, and nothing is archived/
  },
  {
    id: "nothing-left-behind",
    sound: closed,
    world: withRecord(closed, { places: new Set(["/w/1"]) }),
    says: /tombstoned, and \/w\/1 is left behind/
  },
  {
    id: "lands-at-most-once",
    sound: landed,
    world: withRecord(landed, { landings: 2 }),
    says: /landed twice/
  },
  {
    id: "completed-is-landed",
    sound: landed,
    world: withRecord(landed, { landings: 0 }),
    says: /COMPLETED, and it was never landed/
  },
  {
    id: "completed-has-passed-its-gates",
    sound: done("gates"),
    world: withRecord(done("gates"), { passes: new Set() }),
    says: /its gates have not passed/
  },
  {
    id: "what-landed-was-wanted",
    sound: working,
    world: withRecord(working, { landings: 1 }),
    says: /PROCESSING, and it was landed/
  },
  {
    id: "slots-never-exceeded",
    sound: working,
    world: changedHost(working, {
      owned: new Map([1, 2, 3].map((seq) => [seq, storedOf(working).job]))
    }),
    says: /hold 3 of 2 slots/
  },
  {
    id: "slots-never-exceeded",
    sound: working,
    world: changedHost(working, {
      fibers: new Map(
        [1, 2, 3].flatMap((seq) =>
          Array.from(hostOf(working).fibers.values(), (fiber) => [seq, fiber] as const)
        )
      )
    }),
    says: /3 incarnations live in 2 slots/
  },
  {
    id: "restarts-within-budget",
    sound: withRecord(working, { events: [lostHost, lostHost] }),
    world: withRecord(working, { events: [lostHost, lostHost, lostHost] }),
    says: /recovered more often/
  },
  {
    id: "one-live-job-a-key",
    sound: two,
    world: withJob(two, { idempotencyKey: storedOf(two).job.idempotencyKey }, 2),
    says: /jobs 1 and 2 hold one key/
  },
  {
    id: "one-live-job-a-key",
    sound: two,
    world: withRecord(withJob(two, { idempotencyKey: storedOf(two).job.idempotencyKey }, 2), {
      supersededBy: 2
    }),
    says: /jobs 1 and 2 go on under one key/
  },
  {
    id: "one-replay-a-letter",
    sound: two,
    world: withJob(happen(two, submit("plain")), { replayOf: 1 }, 2),
    says: /job 2 replays job 1, which says null/
  },
  {
    id: "one-replay-a-letter",
    sound: two,
    world: withJob(
      withJob(withRecord(happen(two, submit("plain")), { supersededBy: 2 }), { replayOf: 1 }, 2),
      { replayOf: 1 },
      3
    ),
    says: /jobs 2 and 3 both replay job 1/
  },
  {
    id: "step-done-once",
    sound: withRecord(working, { payments: 1 }),
    world: withRecord(working, { payments: 2 }),
    says: /done twice, unasked/
  },
  {
    id: "unknown-outcome-is-asked",
    sound: working,
    world: withJob(working, { hold: "{}" }),
    says: /parked and asks nothing/
  },
  {
    id: "unknown-outcome-is-asked",
    sound: working,
    world: withAgent(working, { steps: ["pay"] }),
    says: /nobody knows whether its step was done/
  },
  {
    id: "open-steps-are-marked",
    sound: working,
    world: withAgent(working, { steps: ["pay"] }),
    says: /its step is unmarked, and open is true/
  },
  {
    id: "job-and-agent-agree",
    sound: working,
    world: withJob(working, { state: "VALIDATING" }),
    says: /VALIDATING rests/
  },
  {
    id: "job-and-agent-agree",
    sound: closed,
    world: withAgent(closed, { disposition: "discarded" }),
    says: /COMPLETED, and its agent is tombstoned/
  },
  {
    id: "agent-fields-agree",
    sound: working,
    world: withAgent(working, { owner: null }),
    says: /working without owner or phase/
  },
  {
    id: "letter-goes-with-quarantine",
    sound: failed,
    world: withJob(failed, { state: "DEAD_LETTERED" }),
    says: /DEAD_LETTERED and its letter don't go together/
  },
  {
    id: "result-goes-with-completion",
    sound: closed,
    world: withRecord(closed, { result: null }),
    says: /COMPLETED and its result don't go together/
  }
]
