// Seeded faults that a search of all states finds: hairy safety.
import { isOver } from "../../../src/domain/JobMachine.ts"
import { change } from "../../../src/domain/turn/Draft.ts"
import { land } from "../../../src/domain/turn/landing.ts"
import { real } from "../../../src/model/world/Behaviour.ts"
import { afterwards, eachChange, lands, onlyFaults, plain, type SearchedMutant, withAgent } from "./Mutant.ts"

export const safetyMutants: ReadonlyArray<SearchedMutant> = [
  {
    name: "the store drops its epoch check",
    breaks: "a host that was taken for lost goes on to write",
    behaviour: { admitsEpoch: () => true },
    expected: "fenced-hosts-write-nothing",
    also: ["one-life-at-a-time", "exactly-one-completer"],
    scene: "one job, one fault",
    bounds: onlyFaults("fence"),
    workflow: plain
  },
  {
    name: "the store drops its version check",
    breaks: "a decision on an old row overwrites a new one",
    behaviour: { admitsVersion: () => true },
    expected: "writes-raise-the-version",
    also: ["terminal-states-absorb", "final-states-are-left-by-nobody"],
    scene: "one job, one fault",
    bounds: onlyFaults("cancel"),
    workflow: plain
  },
  {
    name: "double claim",
    breaks: "the store lets two hosts take one job",
    behaviour: { admitsVersion: () => true, admitsOwner: () => true },
    expected: "one-live-marker",
    also: ["memory-is-the-store", "writes-raise-the-version"],
    scene: "one job, one fault",
    bounds: { faults: 0 },
    workflow: plain
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
    also: ["fibers-are-owned", "one-life-at-a-time"],
    scene: "one job, one fault",
    bounds: onlyFaults("repeat"),
    workflow: { ...plain, gates: true }
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
    scene: "one job, one fault",
    bounds: { faults: 0 },
    workflow: { ...plain, workspace: true }
  },
  {
    name: "rest too early",
    breaks: "the loop leaves its last free slot empty beside work that is due",
    behaviour: { vacancy: (slots, owned) => real.vacancy(slots, owned) - 2 },
    expected: "no-rest-beside-work",
    scene: "one job, one fault",
    workflow: plain
  },
  {
    name: "paused hosts claim",
    breaks: "a host that knows of a pause begins a job",
    behaviour: { mayClaim: () => true },
    expected: "paused-host-starts-nothing",
    scene: "one job, one fault",
    bounds: onlyFaults("pause"),
    workflow: plain
  },
  {
    name: "two replays of one letter",
    breaks: "two operators who replay a letter at once make two jobs",
    behaviour: { refusesKey: (_, supersedes) => supersedes === null, replayedNote: () => null },
    expected: "one-replay-a-letter",
    also: ["one-live-job-a-key"],
    scene: "one job, one fault",
    bounds: onlyFaults("replay"),
    workflow: plain
  },
  {
    name: "a duplicate is taken",
    breaks: "a caller who submits again gets a second job",
    behaviour: { refusesKey: () => false },
    expected: "one-live-job-a-key",
    scene: "one job, one fault",
    bounds: { faults: 0 },
    workflow: plain
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
    scene: "one job, one fault",
    bounds: onlyFaults("doubt"),
    workflow: lands
  },
  {
    name: "slots are counted wrong",
    breaks: "a host fills one slot more than it has",
    behaviour: { vacancy: (slots, owned) => real.vacancy(slots, owned) + 1 },
    expected: "slots-never-exceeded",
    scene: "two jobs, one fault",
    bounds: { slots: 1, faults: 0 },
    workflow: plain
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
    scene: "one job, one fault",
    bounds: onlyFaults("cancel"),
    workflow: plain
  },
  {
    name: "a late completion lands",
    breaks: "the work of an agent that was abandoned for its silence is taken for done all the same",
    behaviour: {
      decide: (draft, signal, env) => {
        const job = signal._tag === "Worked" ? draft.owned.get(signal.seq) : undefined
        if (job?.agent?.standing === "ending" && job.state === "RETRY_SCHEDULED")
          draft.owned.set(job.seq, {
            ...job,
            state: "PROCESSING",
            ...withAgent(job, { state: "working", standing: null })
          })
        real.decide(draft, signal, env)
      }
    },
    expected: "no-stale-completion",
    scene: "one job, one fault",
    workflow: plain
  },
  {
    name: "a fencing token by epoch",
    breaks: "a landing is fenced by its host's epoch, and an older host takes over from a younger one",
    behaviour: { fencingToken: (_, epoch) => epoch },
    expected: "landing-tokens-grow",
    also: ["lands-at-most-once", "what-landed-was-wanted"],
    scene: "one job, one fault",
    bounds: onlyFaults("fence"),
    workflow: lands
  },
  {
    name: "two completers",
    breaks: "who finds the work of a lost host completes it in that host's name",
    behaviour: {
      decide: (draft, signal, env) => {
        const { agent } = signal._tag === "Orphaned" ? signal.job : { agent: null }
        if (signal._tag === "Orphaned" && agent !== null && agent.state === "working") {
          change(draft, signal.job, true)
          land(draft, env, signal.job, agent, `{"by":${agent.incarnation}}`, null)
        } else real.decide(draft, signal, env)
      }
    },
    expected: "exactly-one-completer",
    scene: "one job, one fault",
    workflow: plain
  },
  {
    name: "a pause is forgotten when a host starts",
    breaks: "a host that starts throws away what operators want",
    behaviour: { openAtStart: () => [] },
    expected: "pause-ends-by-resume",
    scene: "one job, one fault",
    bounds: { hosts: 1, free: ["pause"], ...onlyFaults("pause", "crash") },
    workflow: plain
  },
  {
    name: "a hung life keeps its slot",
    breaks: "nobody hears that an interrupted fiber has hung",
    behaviour: {
      decide: (draft, signal, env) => {
        if (signal._tag !== "Hung") real.decide(draft, signal, env)
      }
    },
    expected: "owed-work-moves",
    scene: "one job, one fault",
    bounds: { hosts: 1, free: ["overdue"], ...onlyFaults("overdue", "hung") },
    workflow: plain
  },
  {
    name: "one retry too many",
    breaks: "a job is repeated once more than it may be",
    behaviour: {
      decide: (draft, signal, env) => {
        const job = "seq" in signal ? draft.owned.get(signal.seq) : undefined
        if (job !== undefined) draft.owned.set(job.seq, { ...job, maxRetries: job.maxRetries + 1 })
        real.decide(draft, signal, env)
        if (job === undefined) return
        const owned = draft.owned.get(job.seq)
        const { maxRetries } = job
        if (owned !== undefined) draft.owned.set(job.seq, { ...owned, maxRetries })
        eachChange(draft, (entry) => {
          if (entry.job.seq === job.seq) entry.job = { ...entry.job, maxRetries }
        })
      }
    },
    expected: "attempts-within-budget",
    scene: "one job, one fault",
    bounds: { faults: 0 },
    workflow: plain
  },
  {
    name: "a cancel reopens what is over",
    breaks: "a cancel of a job that is over makes it cancelled",
    behaviour: {
      decide: (draft, signal, env) => {
        if (signal._tag !== "CancelWanted" || !isOver(signal.job.state) || signal.job.state === "CANCELLED") {
          real.decide(draft, signal, env)
          return
        }
        const entry = change(draft, signal.job, true)
        entry.job = { ...signal.job, state: "CANCELLED", version: signal.job.version + 1 }
      }
    },
    expected: "final-states-are-left-by-nobody",
    also: ["terminal-states-absorb"],
    scene: "one job, one fault",
    workflow: plain
  },
  {
    name: "a closed row is written",
    breaks: "a cancel that comes too late is written into the row of a job that is over",
    behaviour: {
      decide: afterwards((draft, signal) => {
        if (signal._tag !== "CancelWanted" || !isOver(signal.job.state)) return
        const entry = change(draft, signal.job, true)
        entry.job = { ...signal.job, hold: null, version: signal.job.version + 1 }
      })
    },
    expected: "terminal-states-absorb",
    scene: "one job, one fault",
    workflow: plain
  },
  {
    name: "gates are skipped after a recovery",
    breaks: "work that an earlier life has finished is not verified again, though its gates were interrupted",
    behaviour: {
      decide: (draft, signal, env) => {
        const recalled = signal._tag === "Worked" && signal.recalled === true
        const workflows = new Map(
          Array.from(env.workflows, ([name, policy]) => [name, { ...policy, gates: false }] as const)
        )
        real.decide(draft, signal, recalled ? { ...env, workflows } : env)
      }
    },
    expected: "completed-has-passed-its-gates",
    scene: "one job, one fault",
    workflow: { ...plain, gates: true }
  },
  {
    name: "a step is begun before it is written down",
    breaks: "its agent is told to go on, and the store knows nothing of the step",
    behaviour: {
      decide: (draft, signal, env) => {
        if (signal._tag !== "MarkerStarted") {
          real.decide(draft, signal, env)
          return
        }
        const { id, incarnation, seq } = signal
        draft.commands.push({ _tag: "Acknowledge", seq, incarnation, id, accepted: true })
        draft.settled.push({ intent: -1, outcome: "something to commit" })
      }
    },
    expected: "step-done-once",
    scene: "a step that is done once",
    bounds: { faults: 0 }
  },
  {
    name: "nobody is asked about a step",
    breaks: "a job goes on by itself though nobody knows whether its step was done",
    behaviour: {
      decide: afterwards((draft) =>
        eachChange(draft, (entry) => {
          if (entry.job.hold !== null) entry.job = { ...entry.job, hold: null }
        })
      )
    },
    expected: "unknown-outcome-is-asked",
    scene: "a step that is done once",
    bounds: { faults: 0 }
  },
  {
    name: "an old answer is taken for a new one",
    breaks: "what an operator said of an earlier life's step settles the step of a later one",
    behaviour: {
      decide: (draft, signal, env) => {
        if (signal._tag === "SettleWanted") real.decide(draft, { ...signal, askedOf: null }, env)
        else real.decide(draft, signal, env)
      }
    },
    expected: "step-done-once",
    scene: "a step that is done once",
    bounds: onlyFaults("crash"),
    longest: 20
  }
]
