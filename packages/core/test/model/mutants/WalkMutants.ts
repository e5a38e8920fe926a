// Seeded faults that random walks find: what one lane does alone.
import { real } from "../../../src/model/world/Behaviour.ts"
import { afterwards, eachChange, type Mutant, rewrite, withAgent } from "./Mutant.ts"

export const walkMutants: ReadonlyArray<Mutant> = [
  {
    name: "FAILED without its letter",
    breaks: "a job that has used up its budget stays FAILED, and nobody finds a letter of it",
    behaviour: {
      decide: afterwards((draft) =>
        eachChange(draft, (change) => {
          if (change.job.state !== "DEAD_LETTERED") return
          const at = change.events.findIndex(({ event }) => event === "dead_letter")
          if (at === -1) return
          change.events.splice(at, 1)
          change.letter = null
          rewrite(draft, change, { state: "FAILED" })
        })
      )
    },
    expected: "failed-leads-to-quarantine"
  },
  {
    name: "an event is not written",
    breaks: "a job is completed, and no event tells it",
    behaviour: {
      decide: afterwards((draft) =>
        eachChange(draft, (change) => {
          const at = change.events.findIndex(({ event }) => event === "complete")
          if (at !== -1) change.events.splice(at, 1)
        })
      )
    },
    expected: "moves-follow-the-table"
  },
  {
    name: "a move outside the table",
    breaks: "a recovered agent is dispatched once more",
    behaviour: {
      refill: (draft, env, job, payload) => {
        real.refill(draft, env, job, payload)
        const change = draft.changes.get(job.seq)
        const at = change?.events.findIndex(({ event }) => event === "recover") ?? -1
        const told = change?.events[at]
        if (change === undefined || told === undefined || change.job.agent?.phase !== "prepare") return
        change.events[at] = { ...told, toState: "dispatched" }
        rewrite(draft, change, withAgent(change.job, { state: "dispatched" }))
      }
    },
    expected: "moves-follow-the-table"
  },
  {
    name: "a retry is not logged",
    breaks: "an attempt is burned, and the retry log has no row of it",
    behaviour: {
      decide: afterwards((draft) =>
        eachChange(draft, (change) => {
          change.retry = null
        })
      )
    },
    expected: "retries-are-logged"
  }
]
