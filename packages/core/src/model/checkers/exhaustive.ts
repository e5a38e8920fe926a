/**
 * The checker of hairy safety: a search of all states that can be reached, which ends with the shortest way to the first thing that is broken.
 */
import { type Search, search } from "../explore/Search.ts"
import type { Limits, System } from "../explore/System.ts"
import { tellPath, type Teller } from "../explore/tellPath.ts"
import type { Invariant } from "../Invariant.ts"
import { type Verdict, verdict } from "../Verdict.ts"

export interface Checked {
  readonly verdicts: ReadonlyArray<Verdict>
  readonly states: number
  /** Steps that were tried, those to states that were met before included. */
  readonly transitions: number
  /** Steps from the first state to the farthest one. */
  readonly depth: number
}

export interface ExhaustiveOptions<State, Label, Seen> extends Teller<State, Label> {
  readonly limits: Limits
  /** What the invariants speak of. */
  readonly look: (state: State) => Seen
  /** Stops at the first thing that is broken; else each invariant is looked for until it is. */
  readonly stopAtFirst?: boolean
}

/** What the search says of an invariant that nothing has broken: less than all was seen, if it stopped early. */
const unbroken = (
  { breaks, complete }: Search<unknown, unknown>,
  stopAtFirst: boolean
): "holds" | "unfinished" => (complete && !(stopAtFirst && breaks.length > 0) ? "holds" : "unfinished")

export const exhaustive = <State, Label, Seen>(
  invariants: ReadonlyArray<Invariant<Seen, "exhaustive">>,
  system: System<State, Label>,
  options: ExhaustiveOptions<State, Label, Seen>
): Checked => {
  const { limits, look, stopAtFirst = false } = options
  const found = search(system, {
    limits,
    stopAtFirst,
    safety: invariants.map(({ id, temporal }) => ({
      id,
      broken:
        temporal.over === "step"
          ? (before, after) => (before === null ? null : temporal.broken(look(before), look(after)))
          : (_, after, fresh) => (fresh ? temporal.broken(look(after)) : null)
    }))
  })
  const explored = { unit: "states", count: found.states, steps: found.transitions } as const
  const verdicts = invariants.map((invariant) => {
    const broken = found.breaks.find(({ id }) => id === invariant.id)
    return verdict(invariant, {
      explored,
      verdict: broken === undefined ? unbroken(found, stopAtFirst) : "broken",
      trace:
        broken === undefined
          ? null
          : { finding: broken.finding, steps: tellPath(broken.path, options), cycleFrom: null }
    })
  })
  return { verdicts, states: found.states, transitions: found.transitions, depth: found.depth }
}
