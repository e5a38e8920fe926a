/**
 * What a simulated fleet is held to, and what was seen instead.
 */

const sentences = {
  "job lost": "Each job that was taken comes to its end, and its agent to its tombstone.",
  "done twice": "What has landed is neither landed nor worked on again, and a key has one job.",
  "written unasked": "No step and no landing begins before the store has it from the host that owns the job.",
  "works while held": "A paused or draining host takes no job.",
  "chain broken": "Each move leaves the state that the one before has reached, by an edge of its table.",
  "ownership broken": "Only the owner of a job writes its row; a host that is over writes nothing.",
  "slots exceeded": "No host has more living incarnations than slots, at any instant.",
  "two lives": "No incarnation starts before the one before has ended, was killed or was declared hung.",
  "unverified result":
    "A COMPLETED job's result is one that its agent has brought, its gates passed and its lander landed.",
  "rests beside work": "No host rests while a due job and a free slot are there.",
  "gives up": "A host comes to its end by itself only when another has taken over.",
  "left open": "When a host has stopped, no fiber, no scope and no workspace of it is left.",
  unanswered: "Whoever waits for something of a host gets an answer.",
  "wrong answer": "An answer says what the store says.",
  "audit finds": "The audit finds nothing wrong in the store.",
  "store differs": "The store holds what was committed, and nothing else.",
  "runs in circles": "The fleet comes to rest.",
  defect: "Nothing fails that nobody has foreseen."
} as const

export type Oracle = keyof typeof sentences

export interface Violation {
  readonly oracle: Oracle
  /** What must be true. */
  readonly sentence: string
  /** What was seen instead. */
  readonly detail: string
  /** Milliseconds after the beginning. */
  readonly at: number
}

/** The violations of one run, as they are seen. */
export class Verdict {
  readonly violations: Array<Violation> = []
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  blame(oracle: Oracle, detail: string): void {
    this.violations.push({ oracle, sentence: sentences[oracle], detail, at: this.now() })
  }

  get clean(): boolean {
    return this.violations.length === 0
  }
}
