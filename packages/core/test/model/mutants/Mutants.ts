// Seeded faults: each puts one broken function into the world, and names the invariant that has to turn red for it.
import { isOver } from "../../../src/domain/JobMachine.ts"
import type { Change } from "../../../src/domain/turn/Draft.ts"
import type { Scene } from "../../../src/model/explore/FleetScenes.ts"
import { type Behaviour, real } from "../../../src/model/world/Behaviour.ts"

export interface Mutant {
  readonly name: string
  /** What it breaks, a sentence. */
  readonly breaks: string
  readonly behaviour: Partial<Behaviour>
  /** The id of the invariant that it turns red. */
  readonly expected: string
  /** The scene that finds it. */
  readonly scene: Scene["name"]
  /** What is smaller or larger than in the scene; left out: nothing. */
  readonly bounds?: Partial<Scene["bounds"]>
}

/** Decides as the fleet does, and then spoils what was decided. */
const afterwards =
  (spoil: (...given: Parameters<Behaviour["decide"]>) => void): Behaviour["decide"] =>
  (draft, signal, env) => {
    real.decide(draft, signal, env)
    spoil(draft, signal, env)
  }

const eachChange = (draft: Parameters<Behaviour["decide"]>[0], spoil: (change: Change) => void): void => {
  for (const change of draft.changes.values()) spoil(change)
}

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "the store drops its epoch check",
    breaks: "a host that was taken for lost goes on to write",
    behaviour: { admitsEpoch: () => true },
    expected: "fenced-hosts-write-nothing",
    scene: "one job, one fault"
  },
  {
    name: "the store drops its version check",
    breaks: "a decision on an old row overwrites a new one",
    behaviour: { admitsVersion: () => true },
    expected: "writes-raise-the-version",
    scene: "one job, one fault"
  },
  {
    name: "double claim",
    breaks: "the store lets two hosts take one job",
    behaviour: { admitsVersion: () => true, admitsOwner: () => true },
    expected: "one-live-marker",
    scene: "one job, one fault"
  },
  {
    name: "the decision forgets the incarnation",
    breaks: "a word of an earlier life is taken for one of this",
    behaviour: {
      decide: (draft, signal, env) => {
        const alive = "incarnation" in signal ? draft.owned.get(signal.seq)?.agent?.incarnation : undefined
        real.decide(
          draft,
          alive === undefined || !("incarnation" in signal) ? signal : { ...signal, incarnation: alive },
          env
        )
      }
    },
    expected: "no-stale-completion",
    scene: "one job, two faults"
  },
  {
    name: "clean before archive",
    breaks: "a workspace is torn down before anything of it is archived",
    behaviour: {
      decide: afterwards((draft) => {
        for (const [index, command] of draft.commands.entries()) {
          if (command._tag !== "Archive") continue
          const { agent } = command.job
          const job = { ...command.job, agent: agent === null ? null : { ...agent, phase: "clean" as const } }
          draft.commands[index] = { _tag: "Clean", job }
          draft.owned.set(job.seq, job)
          eachChange(draft, (change) => {
            if (change.job.seq === job.seq) change.job = job
          })
        }
      })
    },
    expected: "archive-before-teardown",
    scene: "one job, one fault"
  },
  {
    name: "rest too early",
    breaks: "the loop leaves its last free slot empty beside work that is due",
    behaviour: { vacancy: (slots, owned) => real.vacancy(slots, owned) - 2 },
    expected: "no-rest-beside-work",
    scene: "one job, one fault"
  },
  {
    name: "lost retry",
    breaks: "a job that is to be repeated is parked, and nobody asks for it",
    behaviour: {
      decide: afterwards((draft) =>
        eachChange(draft, (change) => {
          if (change.job.state === "RETRY_SCHEDULED" && change.retry !== null)
            change.job = { ...change.job, hold: '{"kind":"lost"}' }
        })
      )
    },
    expected: "abandoned-moves-on",
    scene: "one job for ever",
    bounds: { faults: 0 }
  },
  {
    name: "paused hosts claim",
    breaks: "a host that knows of a pause begins a job",
    behaviour: { mayClaim: () => true },
    expected: "paused-host-starts-nothing",
    scene: "one job, one fault"
  },
  {
    name: "two replays of one letter",
    breaks: "two operators who replay a letter at once make two jobs",
    behaviour: { refusesKey: (_, supersedes) => supersedes === null, replayedNote: () => null },
    expected: "one-replay-a-letter",
    scene: "one job, one fault"
  },
  {
    name: "a duplicate is taken",
    breaks: "a caller who submits again gets a second job",
    behaviour: { refusesKey: () => false },
    expected: "one-live-job-a-key",
    scene: "one job, one fault"
  },
  {
    name: "a landing is begun again",
    breaks: "a landing of which nobody knows is not asked about before it is repeated",
    behaviour: {
      refill: (draft, env, job, payload) => {
        const commands = draft.commands.length
        real.refill(draft, env, job, payload)
        for (const [index, command] of draft.commands.entries())
          if (index >= commands && command._tag === "Reconcile")
            draft.commands[index] = { _tag: "Land", job: command.job, result: "" }
      }
    },
    expected: "lands-at-most-once",
    scene: "one job, one fault"
  },
  {
    name: "orphans are left alone",
    breaks: "what a lost host owned is adopted by nobody",
    behaviour: { isOwed: (agent) => agent.owner === null && real.isOwed(agent) },
    expected: "lost-work-is-adopted",
    scene: "one job for ever",
    bounds: { free: [], without: ["overdue", "repeat", "replay", "pause"] }
  },
  {
    name: "slots are counted wrong",
    breaks: "a host fills one slot more than it has",
    behaviour: { vacancy: (slots, owned) => real.vacancy(slots, owned) + 1 },
    expected: "slots-never-exceeded",
    scene: "two jobs, one fault",
    bounds: { slots: 1 }
  },
  {
    name: "a cancel is answered before it is done",
    breaks: "a cancel that another host has overtaken is settled all the same",
    behaviour: {
      decide: afterwards((draft, signal) => {
        if (signal._tag === "CancelWanted" && !isOver(signal.job.state))
          draft.settled.push({ intent: signal.intent, outcome: "cancelled" })
      })
    },
    expected: "cancelled-means-cancelled",
    scene: "one job, one fault"
  }
]
