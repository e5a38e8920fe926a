/**
 * What the seed wants decided and ruled out ("Required Decision Points", "Anti-Patterns"), as the fleet at hand has decided it: read off its
 * reactions and its tables, each with the invariants that hold it.
 */
import { JobMachine } from "../JobMachine.ts"
import type { ReactionSpec } from "./reactionSpec.ts"

export interface DecisionSpec {
  readonly id: string
  readonly question: string
  readonly answer: string
  /** Codes of the catalogue for which the answer is another than for their kind; empty for none. */
  readonly exceptions: ReadonlyArray<string>
  /** Ids of invariants, of the model's or of the audit's. */
  readonly held_by: ReadonlyArray<string>
}

/** A fault of lifecycles that this one can't have, and what would tell. */
export interface RuledOutSpec {
  readonly id: string
  readonly sentence: string
  /** Ids of invariants, of the model's or of the audit's. */
  readonly held_by: ReadonlyArray<string>
}

/** Permanent unless a row says otherwise (seed, "Error Handling Integration"). */
const permanent: ReadonlySet<string | null> = new Set(["DQ", "MATH", "LEGAL", "CONTRACT"])

const codes = (
  reactions: ReadonlyArray<ReactionSpec>,
  which: (row: ReactionSpec) => boolean
): ReadonlyArray<string> => reactions.filter(which).map(({ code }) => code)

export const decisionSpecs = (reactions: ReadonlyArray<ReactionSpec>): ReadonlyArray<DecisionSpec> => {
  const retried = codes(reactions, ({ retryable }) => retryable).length
  const cancels = new Set(
    JobMachine.edges.filter(({ event }) => event === "cancel").flatMap(({ reasons }) => reasons)
  )
  const free = codes(reactions, ({ replay_eligible }) => replay_eligible).length
  return [
    {
      id: "retry-or-fail",
      question: "Retry, or fail at once?",
      answer: `${retried} of ${reactions.length} rows are marked retryable, and only their codes are retried. Data, calculations, legal rules and contracts fail at once, and so do codes that nobody has declared, unless a row says otherwise.`,
      exceptions: codes(reactions, ({ category, retryable }) => retryable && permanent.has(category)),
      held_by: ["attempts-within-budget", "retries-are-logged", "retry-permanent", "retry-over-budget"]
    },
    {
      id: "letter-or-cancel",
      question: "Dead letter, or cancel?",
      answer: `A failure that nobody tries again leaves a dead letter. A job is cancelled for ${Array.from(cancels).join(", ")}, and for no failure.`,
      exceptions: codes(
        reactions,
        ({ exhausted, first_failure }) => first_failure === "fail" || exhausted === "fail"
      ),
      held_by: ["failed-leads-to-quarantine", "letter-goes-with-quarantine", "cancelled-means-cancelled"]
    },
    {
      id: "replay",
      question: "May it be replayed?",
      answer: `Letters of ${free} of ${reactions.length} rows may be at once, the others when somebody allows it, and each only with its payload and envelope. A replay is a new job with the key, the correlation id and the trace of the old one, and both name each other; nothing is overwritten.`,
      exceptions: codes(reactions, ({ replay_eligible }) => !replay_eligible),
      held_by: ["one-replay-a-letter", "terminal-states-absorb", "replay-one-way", "letter-context"]
    }
  ]
}

export const ruledOut: ReadonlyArray<RuledOutSpec> = [
  {
    id: "unvalidated-status",
    sentence: "A state that is set without its table.",
    held_by: ["moves-follow-the-table", "moves-are-told", "move-illegal", "chain-end"]
  },
  {
    id: "retried-permanent-error",
    sentence: "An error retried that is the same each time.",
    held_by: ["attempts-within-budget", "retry-permanent"]
  },
  {
    id: "completed-job-again",
    sentence: "A completed job done again.",
    held_by: ["terminal-states-absorb", "one-live-job-a-key", "exactly-one-completer", "two-completions"]
  },
  {
    id: "perpetual-processing",
    sentence: "A failure that is hidden as PROCESSING for ever.",
    held_by: ["processing-ends", "dispatched-is-tombstoned", "lost-work-is-adopted", "adoption-owed"]
  },
  {
    id: "letter-without-context",
    sentence: "A dead letter that can't be looked into or replayed.",
    held_by: ["letter-goes-with-quarantine", "letter-context", "letter-missing"]
  }
]
