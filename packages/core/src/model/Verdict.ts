/**
 * What a checker says of an invariant, the same for all three: what was explored, whether it holds, and if not, how it breaks.
 */
import type { Invariant } from "./Invariant.ts"
import type { Form } from "./Temporal.ts"
import type { Tier } from "./Tier.ts"

export interface TraceStep {
  /** What happened, in words; empty for the first state. */
  readonly act: string
  /** What is to be seen afterwards, a line each. */
  readonly seen: ReadonlyArray<string>
}

/** How it came to be broken, from the first state on. */
export interface Trace {
  /** What is broken, a sentence. */
  readonly finding: string
  readonly steps: ReadonlyArray<TraceStep>
  /** The first step, from 0, of a round that may go on for ever; the last step leads back to before it. Null where there is none. */
  readonly cycleFrom: number | null
}

export interface Verdict {
  /** The invariant's id. */
  readonly invariant: string
  readonly form: Form
  readonly tier: Tier
  readonly explored: {
    /** States of a search, or random walks. */
    readonly unit: "states" | "walks"
    readonly count: number
    /** Steps taken in all: edges of the graph, or acts of the walks. */
    readonly steps: number
  }
  /** `unfinished`: nothing is broken as far as the bounds let it look. A random walk that finds nothing `holds`: more it can't say. */
  readonly verdict: "holds" | "broken" | "unfinished"
  /** Null unless broken. */
  readonly trace: Trace | null
}

/** The verdict on an invariant. */
export const verdict = (
  { id, temporal, tier }: Pick<Invariant<never>, "id" | "temporal" | "tier">,
  found: Pick<Verdict, "explored" | "verdict" | "trace">
): Verdict => ({ invariant: id, form: temporal.form, tier, ...found })

export const isSound = (verdicts: ReadonlyArray<Verdict>): boolean =>
  verdicts.every((one) => one.verdict === "holds")

/** The trace as lines to read: what is broken, then step by step how. */
export const tellTrace = ({ cycleFrom, finding, steps }: Trace): ReadonlyArray<string> => [
  finding,
  ...steps.flatMap(({ act, seen }, index) => [
    ...(index === cycleFrom ? ["from here on, for ever:"] : []),
    `${String(index).padStart(3)}  ${act}`,
    ...seen.map((line) => `       ${line}`)
  ])
]
