/**
 * A way through the states as the steps of a trace.
 */
import type { TraceStep } from "../Verdict.ts"
import type { Path } from "./Search.ts"

/** How a step is told. */
export interface Teller<State, Label> {
  readonly tell: (before: State, label: Label, after: State) => TraceStep
}

export const tellPath = <State, Label>(
  { labels, states }: Path<State, Label>,
  { tell }: Teller<State, Label>
): ReadonlyArray<TraceStep> =>
  labels.flatMap((label, index) => {
    const before = states[index]
    const after = states[index + 1]
    return before === undefined || after === undefined ? [] : [tell(before, label, after)]
  })
