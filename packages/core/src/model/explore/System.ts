/**
 * What a search goes through: any machine that says what may happen next. Hosts search their own machines with it; the fleet is one of them
 * (FleetSystem.ts).
 */
export interface System<State, Label> {
  readonly initial: State
  /** Everything that may happen in the state, each with the state after it; in the same order whenever it is asked. */
  readonly successors: (state: State) => Iterable<readonly [label: Label, state: State]>
  /** Two states with one key are taken for one: from both the same can happen, and the same holds in both. */
  readonly key: (state: State) => string
  /** The state that stands for all of its key: smaller, and without its history. Left out: the one that was met first. */
  readonly normal?: (state: State) => State
}

/** How far a search goes. */
export interface Limits {
  /** The search gives up, and says so, when it has met more states. */
  readonly states: number
}
