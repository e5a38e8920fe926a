/**
 * Who has to act and who may. A temporal check is worth what it assumes, so it stands here, each line with its reason; docs/model.md prints it.
 */
import type { Act } from "../world/Act.ts"

/**
 * `fair`: what may happen all the time happens some time (weak fairness, of each host, job and signal by itself). `whim`: it may happen or
 * not, as often as it likes. `ends`: it may happen, and not for ever: no round that goes on for ever has it.
 */
export type Duty = "fair" | "whim" | "ends"

export interface Assumption {
  readonly acts: ReadonlyArray<Act["_tag"]>
  readonly what: string
  readonly duty: Duty
  readonly because: string
}

export const assumptions: ReadonlyArray<Assumption> = [
  {
    acts: ["Turn"],
    what: "a host takes a turn on a signal that waits, or on a due job beside a free slot",
    duty: "fair",
    because: "the loop never rests beside work, and its mailbox hands over in the end"
  },
  {
    acts: ["Look", "Adopt"],
    what: "a host looks at what operators want and at the rows of lost hosts",
    duty: "fair",
    because: "both are done at every change of the store and every renewal"
  },
  { acts: ["Due"], what: "the wait of a job ends", duty: "fair", because: "time passes" },
  {
    acts: ["Overdue"],
    what: "a phase that doesn't end runs into its deadline or its silence",
    duty: "fair",
    because: "time passes; in the world without limit silence takes the place of a deadline for work"
  },
  {
    acts: ["End"],
    what: "an interrupted phase ends, or is given up",
    duty: "fair",
    because: "it has a grace, and then it is declared hung"
  },
  {
    acts: ["Finish"],
    what: "an archive or a clean-up ends",
    duty: "fair",
    because: "both have a deadline, and keep the workspace when it comes"
  },
  {
    acts: ["Finish"],
    what: "any other phase ends by itself, well or badly",
    duty: "whim",
    because:
      "an agent may work, or be silent, for ever: its deadline is what ends it, as often as attempts are left"
  },
  {
    acts: ["Finish"],
    what: "the outside asks for patience, a gate is broken, or nobody can tell what became of a landing",
    duty: "ends",
    because:
      "the first two burn no attempt: a job that is asked for patience for ever waits for ever, as it should"
  },
  {
    acts: ["Enlist"],
    what: "a host comes back",
    duty: "fair",
    because: "somebody starts hosts; without any nothing is done"
  },
  {
    acts: ["Resume"],
    what: "an operator ends a pause",
    duty: "fair",
    because: "what is paused stands still until then, as it should"
  },
  {
    acts: ["Leave"],
    what: "a host that stops leaves when nothing of it runs",
    duty: "fair",
    because: "its shutdown has one deadline in all"
  },
  {
    acts: ["Pause", "Cancel", "SubmitAgain", "Replay"],
    what: "operators and callers pause, cancel, submit again, replay",
    duty: "whim",
    because: "they need not, and may as often as they like"
  },
  {
    acts: ["Race"],
    what: "two hosts decide on the same rows at once",
    duty: "whim",
    because: "chance"
  },
  {
    acts: ["Crash", "DieAfterCommit", "Fence", "Stop"],
    what: "hosts crash, freeze beyond their lease, and are stopped",
    duty: "ends",
    because: "a fleet whose hosts die for ever gets nothing done"
  }
]
