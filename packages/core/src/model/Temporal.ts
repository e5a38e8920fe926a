/**
 * The temporal forms of invariants. `[]P`: P holds always; `[]<>P`: P holds again and again; `P ~> Q`: whenever P, then Q sooner or later.
 * Each is built with what decides it, so that a form can't be declared without its predicate.
 */
export const forms = ["[]P", "[]<>P", "P ~> Q"] as const
export type Form = (typeof forms)[number]

/** Holds in each state. */
export interface Always<State> {
  readonly form: "[]P"
  readonly over: "state"
  /** Null where it holds; else a sentence on what is broken. */
  readonly broken: (state: State) => string | null
}

/** Holds of each step: of what it adds to the state before. It looks at nothing older, so that a search may forget a state's history. */
export interface AlwaysStep<State> {
  readonly form: "[]P"
  readonly over: "step"
  readonly broken: (before: State, after: State) => string | null
}

/** What liveness is said of, one by one: numbers of jobs, of hosts, of whatever a model has. A fact of the whole state has one, 0. */
export type Subject = number

/** Of each subject, holds again and again. */
export interface InfinitelyOften<State> {
  readonly form: "[]<>P"
  readonly subjects: (state: State) => ReadonlyArray<Subject>
  readonly holds: (state: State, subject: Subject) => boolean
}

/** Of each subject: whenever `when` (P) is so, `holds` (Q) is so in that state or in a later one. */
export interface LeadsTo<State> {
  readonly form: "P ~> Q"
  readonly subjects: (state: State) => ReadonlyArray<Subject>
  readonly when: (state: State, subject: Subject) => boolean
  readonly holds: (state: State, subject: Subject) => boolean
}

type Any<State> = Always<State> | AlwaysStep<State> | InfinitelyOften<State> | LeadsTo<State>

/** A formula of one of the forms. */
export type Temporal<State, F extends Form = Form> = Extract<Any<State>, { readonly form: F }>

/** The state that a formula speaks of. */
export type StateOf<T> =
  T extends Always<infer State>
    ? State
    : T extends AlwaysStep<infer State>
      ? State
      : T extends InfinitelyOften<infer State>
        ? State
        : T extends LeadsTo<infer State>
          ? State
          : never

/** `[]P` of each state. */
export const always = <State>(broken: (state: State) => string | null): Always<State> => ({
  form: "[]P",
  over: "state",
  broken
})

/** `[]P` of each step. */
export const alwaysStep = <State>(
  broken: (before: State, after: State) => string | null
): AlwaysStep<State> => ({ form: "[]P", over: "step", broken })

const whole = (): ReadonlyArray<Subject> => [0]

/** `[]<>P` of the whole state. */
export const infinitelyOften = <State>(holds: (state: State) => boolean): InfinitelyOften<State> => ({
  form: "[]<>P",
  subjects: whole,
  holds
})

/** `[]<>P` of each subject. */
export const eachInfinitelyOften = <State>(
  formula: Omit<InfinitelyOften<State>, "form">
): InfinitelyOften<State> => ({ form: "[]<>P", ...formula })

/** `P ~> Q` of the whole state. */
export const leadsTo = <State>(
  when: (state: State) => boolean,
  holds: (state: State) => boolean
): LeadsTo<State> => ({ form: "P ~> Q", subjects: whole, when, holds })

/** `P ~> Q` of each subject. */
export const eachLeadsTo = <State>(formula: Omit<LeadsTo<State>, "form">): LeadsTo<State> => ({
  form: "P ~> Q",
  ...formula
})
