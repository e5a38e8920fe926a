/**
 * What random walks go through: any machine that says what it may do next. Hosts walk through their own machines with it; the fleet is one of
 * them (FleetWalks.ts).
 */
import type { TraceStep } from "../Verdict.ts"

export interface Walks<State, Act> {
  readonly initial: State
  /** The act that two whole numbers choose among those that may happen; the same numbers choose the same one. Undefined: none. */
  readonly choose: (state: State, dice: number, pick: number) => Act | undefined
  /** Lets it happen. Must leave the state as it was, and answer another. */
  readonly step: (state: State, act: Act) => State
  /**
   * What follows once nothing goes wrong any more, until nothing is left to do: yields acts, and is given the state after each. Liveness is
   * decided at its end; left out: it is not decided.
   */
  readonly settle?: (state: State) => Generator<Act, void, State>
  readonly tell: (before: State, act: Act, after: State) => TraceStep
}

export interface WalkOptions {
  /** A whole number; the same seed gives the same walks. */
  readonly seed: number
  /** How many. */
  readonly walks: number
  /** Acts in each, before it settles. */
  readonly length: number
}

/** What happened, from the first state on: one act fewer than states. */
export interface Trail<State, Act> {
  readonly states: ReadonlyArray<State>
  readonly acts: ReadonlyArray<Act>
  /** The number of acts that were drawn; what comes after them has settled the state. */
  readonly drawn: number
  /** Whether it was settled. */
  readonly settled: boolean
}

/** The trail of these acts. */
export const follow = <State, Act>(
  walks: Walks<State, Act>,
  drawn: ReadonlyArray<Act>
): Trail<State, Act> => {
  let state = walks.initial
  const states = [state]
  const acts: Array<Act> = []
  const happen = (act: Act): State => {
    state = walks.step(state, act)
    acts.push(act)
    states.push(state)
    return state
  }
  for (const act of drawn) happen(act)
  if (walks.settle === undefined) return { states, acts, drawn: drawn.length, settled: false }
  const settling = walks.settle(state)
  for (let next = settling.next(); next.done !== true; next = settling.next(happen(next.value)));
  return { states, acts, drawn: drawn.length, settled: true }
}
