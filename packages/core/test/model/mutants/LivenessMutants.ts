// Seeded faults that a temporal check finds: hairy liveness.
import { real } from "../../../src/model/world/Behaviour.ts"
import { afterwards, eachChange, onlyFaults, plain, type SearchedMutant, withAgent } from "./Mutant.ts"

export const livenessMutants: ReadonlyArray<SearchedMutant> = [
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
    also: ["dispatched-is-tombstoned"],
    scene: "one job for ever",
    bounds: { faults: 0 },
    workflow: plain
  },
  {
    name: "orphans are left alone",
    breaks: "what a lost host owned is adopted by nobody",
    behaviour: { isOwed: (agent) => agent.owner === null && real.isOwed(agent) },
    expected: "lost-work-is-adopted",
    also: ["dispatched-is-tombstoned", "processing-ends"],
    scene: "one job for ever",
    bounds: { free: [], ...onlyFaults("crash") },
    workflow: plain
  },
  {
    name: "a cancel is never answered",
    breaks: "who cancels a job never hears what came of it",
    behaviour: {
      decide: afterwards((draft, signal) => {
        if (signal._tag === "CancelWanted") draft.settled.length = 0
      })
    },
    expected: "cancel-is-answered",
    scene: "one job for ever",
    bounds: { hosts: 1, retries: 0, ...onlyFaults("cancel", "overdue") },
    workflow: plain
  },
  {
    name: "an adoption keeps the dead owner",
    breaks: "what a lost host owned is handed back in that host's name",
    behaviour: {
      decide: afterwards((draft, signal) => {
        const change = signal._tag === "Orphaned" ? draft.changes.get(signal.job.seq) : undefined
        if (signal._tag !== "Orphaned" || change?.job.agent?.standing !== "waiting") return
        change.job = { ...change.job, ...withAgent(change.job, { owner: signal.job.agent?.owner ?? null }) }
      })
    },
    expected: "lost-work-is-adopted",
    also: ["abandoned-moves-on", "dispatched-is-tombstoned"],
    scene: "one job for ever",
    bounds: { retries: 0, ...onlyFaults("crash", "overdue") },
    workflow: plain
  },
  {
    name: "a word in the mailbox is dropped",
    breaks: "that the work is done is taken from the mailbox, and nobody decides on it",
    behaviour: {
      decide: (draft, signal, env) => {
        if (signal._tag !== "Worked") real.decide(draft, signal, env)
      }
    },
    expected: "processing-ends",
    also: ["dispatched-is-tombstoned"],
    scene: "one job for ever",
    bounds: { hosts: 1, retries: 0, faults: 0 },
    workflow: plain
  }
]
