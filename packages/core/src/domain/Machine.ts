/**
 * A state machine as data: the only way a state moves is `step` over its table of edges.
 * Diagrams, CHECK constraints, the CLI and the tests all read the same table.
 */
import { Result } from "effect"
import { InvalidStateTransition } from "./errors/LifecycleErrors.ts"

/** One legal move. `reasons` is the closed vocabulary of `transition_reason` for it. */
export interface Edge<State extends string, Event extends string> {
  readonly from: State
  readonly event: Event
  readonly to: State
  readonly reasons: ReadonlyArray<string>
}

/** A part of what is done while a subject is in one of `states`; no state of its own. */
export interface Phase<State extends string> {
  readonly name: string
  readonly states: ReadonlyArray<State>
  /** In a few words. */
  readonly does: string
}

export interface Machine<State extends string = string, Event extends string = string> {
  /** Also the `subject_kind` of its events. */
  readonly name: string
  readonly initial: State
  /** In order of declaration; a state's position is its number in stores that keep states as integers. Append only. */
  readonly states: ReadonlyArray<State>
  /** States that nothing leaves, whatever the policy. */
  readonly final: ReadonlyArray<State>
  readonly edges: ReadonlyArray<Edge<State, Event>>
  /** The name of the event that creates a subject in `initial`; its `from_state` is null. */
  readonly creation: { readonly event: string; readonly reasons: ReadonlyArray<string> }
  /** What each state means, in a few words, for those who read the table. */
  readonly meanings?: { readonly [S in NoInfer<State>]?: string }
  /** In the order in which a life goes through them; left out: its states are all there is. */
  readonly phases?: ReadonlyArray<Phase<NoInfer<State>>>
}

/** Builds a machine and infers its states and events from the table. */
export const make = <const State extends string, const Event extends string>(
  machine: Machine<State, Event>
): Machine<State, Event> => machine

/** The edge that `event` takes from `state`, or undefined when the table has none. */
export const edge = <State extends string, Event extends string>(
  machine: Machine<State, Event>,
  state: State,
  event: Event
): Edge<State, Event> | undefined => {
  for (const candidate of machine.edges) {
    if (candidate.from === state && candidate.event === event) return candidate
  }
  return undefined
}

/** The events that may happen in `state`; empty for a final state. */
export const legal = <State extends string, Event extends string>(
  machine: Machine<State, Event>,
  state: State
): ReadonlyArray<Event> =>
  machine.edges.filter((candidate) => candidate.from === state).map(({ event }) => event)

/**
 * The next state, or `ORCH_INVALID_STATE_TRANSITION`, which changes nothing
 * (seed "Orchestrator Lifecycle Reliability", transition guards).
 */
export const step = <State extends string, Event extends string>(
  machine: Machine<State, Event>,
  state: State,
  event: Event
): Result.Result<State, InvalidStateTransition> => {
  const found = edge(machine, state, event)
  return found === undefined
    ? Result.fail(
        new InvalidStateTransition({ machine: machine.name, state, event, legal: legal(machine, state) })
      )
    : Result.succeed(found.to)
}

/** A move as an event tells it; `fromState` is null for a creation. */
export interface Told {
  readonly event: string
  readonly fromState: string | null
  readonly toState: string | null
  readonly transitionReason: string
}

/** Whether the machine's table has this move, for this reason (law 2). */
export const has = (machine: Machine, { event, fromState, toState, transitionReason }: Told): boolean => {
  const { creation, edges, initial } = machine
  if (fromState === null)
    return event === creation.event && toState === initial && creation.reasons.includes(transitionReason)
  for (const candidate of edges) {
    if (candidate.from === fromState && candidate.event === event)
      return candidate.to === toState && candidate.reasons.includes(transitionReason)
  }
  return false
}

/** What is said of each state; empty where nothing is. */
export const meaningsOf = ({ meanings, states }: Machine): Readonly<Record<string, string>> =>
  Object.fromEntries(states.map((state) => [state, meanings?.[state] ?? ""]))

/** Whether nothing leaves `state`. */
export const isFinal = <State extends string, Event extends string>(
  machine: Machine<State, Event>,
  state: State
): boolean => machine.final.includes(state)

/** Every state that can be reached from the initial one, that one included. */
export const reachable = <State extends string, Event extends string>(
  machine: Machine<State, Event>
): ReadonlySet<State> => {
  const seen = new Set<State>([machine.initial])
  for (const state of seen) {
    for (const { from, to } of machine.edges) if (from === state) seen.add(to)
  }
  return seen
}

/** The diagram of the table in mermaid's stateDiagram-v2 notation; parallel edges share one arrow. */
export const mermaid = <State extends string, Event extends string>(
  machine: Machine<State, Event>
): string => {
  const arrows = new Map<string, Array<string>>()
  for (const { event, from, to } of machine.edges) {
    const arrow = `${from} --> ${to}`
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), event])
  }
  return [
    "stateDiagram-v2",
    `  [*] --> ${machine.initial}`,
    ...Array.from(arrows, ([arrow, events]) => `  ${arrow}: ${events.join(" / ")}`),
    ...machine.final.map((state) => `  ${state} --> [*]`),
    ""
  ].join("\n")
}
