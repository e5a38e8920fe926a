/**
 * Liveness over a whole graph of states: something fails to happen only if it can go on for ever without, in a round or standing still, while
 * everybody who has to act does. So a counterexample is a round of states, reached from the first one, in which each fair class of steps is
 * taken, or can't be taken somewhere (weak fairness). Classes are those of the steps' labels; steps that change nothing are no steps.
 */
import { Column } from "./Column.ts"

/** The class of a step that may happen or not; and of one that no round for ever has. Fair classes are numbered from 0. */
export const whim = -1
export const ends = -2

/** All steps of a search, in the order of the states that they leave. */
export class Graph {
  /** Where the steps that leave a state begin, by its number; one more entry than states when all is told. */
  private readonly firsts = new Column()
  private readonly targets = new Column()
  private readonly classes = new Column()

  step(from: number, to: number, kind: number): void {
    while (this.firsts.length <= from) this.firsts.push(this.targets.length)
    if (from === to) return
    this.targets.push(to)
    this.classes.push(kind)
  }

  close(states: number): void {
    while (this.firsts.length <= states) this.firsts.push(this.targets.length)
  }

  first(state: number): number {
    return this.firsts.at(state)
  }

  target(step: number): number {
    return this.targets.at(step)
  }

  kind(step: number): number {
    return this.classes.at(step)
  }
}

/** A round that may go on for ever; of one state where it stands still. */
export interface Round {
  /** The state in which it was due and hadn't happened. */
  readonly since: number
  /** From there to the round, both included. */
  readonly lead: ReadonlyArray<number>
  /** The states of the round, the last of `lead` first. */
  readonly round: ReadonlyArray<number>
}

/** The states that can be reached from `starts` without leaving `within`, with the state before each; -1 where there is none. */
const reach = (
  graph: Graph,
  states: number,
  starts: ReadonlyArray<number>,
  within: (state: number) => boolean
): Int32Array => {
  const parents = new Int32Array(states).fill(-1)
  const queue = [...starts]
  for (const start of starts) parents[start] = start
  for (let at = 0; at < queue.length; at++) {
    const from = queue[at] ?? 0
    for (let step = graph.first(from); step < graph.first(from + 1); step++) {
      const to = graph.target(step)
      if (parents[to] !== -1 || !within(to)) continue
      parents[to] = from
      queue.push(to)
    }
  }
  return parents
}

/** Tarjan's algorithm (1972), without recursion: the strongly connected parts of the states that `has` holds of, over steps that may recur. */
function* components(
  graph: Graph,
  states: number,
  has: (state: number) => boolean
): Generator<ReadonlyArray<number>> {
  const index = new Int32Array(states)
  const low = new Int32Array(states)
  const stacked = new Uint8Array(states)
  const cursors = new Int32Array(states)
  const stack: Array<number> = []
  const path: Array<number> = []
  let counter = 0
  const enter = (state: number): void => {
    counter++
    index[state] = counter
    low[state] = counter
    cursors[state] = graph.first(state)
    stacked[state] = 1
    stack.push(state)
    path.push(state)
  }
  const lower = (state: number, to: number): void => {
    low[state] = Math.min(low[state] ?? 0, to)
  }
  for (let root = 0; root < states; root++) {
    if (index[root] !== 0 || !has(root)) continue
    enter(root)
    while (path.length > 0) {
      const state = path.at(-1) ?? 0
      const step = cursors[state] ?? 0
      if (step < graph.first(state + 1)) {
        cursors[state] = step + 1
        const to = graph.target(step)
        if (graph.kind(step) === ends || !has(to)) continue
        if (index[to] === 0) enter(to)
        else if (stacked[to] === 1) lower(state, index[to] ?? 0)
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent !== undefined) lower(parent, low[state] ?? 0)
      if (low[state] !== index[state]) continue
      const component: Array<number> = []
      for (;;) {
        const member = stack.pop() ?? state
        stacked[member] = 0
        component.push(member)
        if (member === state) break
      }
      yield component
    }
  }
}

/** Whether somebody has to act in the state: it doesn't stand still. */
const acts = (graph: Graph, state: number): boolean => {
  for (let step = graph.first(state); step < graph.first(state + 1); step++)
    if (graph.kind(step) >= 0) return true
  return false
}

/** Whether a round through all these states is fair: each fair class that can always be taken there is taken there. */
const isFair = (
  graph: Graph,
  component: ReadonlyArray<number>,
  inside: (state: number) => boolean
): boolean => {
  const [only] = component
  if (component.length === 1 && only !== undefined) return !acts(graph, only)
  const taken = new Set<number>()
  let always: Set<number> | null = null
  for (const state of component) {
    const can = new Set<number>()
    for (let step = graph.first(state); step < graph.first(state + 1); step++) {
      const kind = graph.kind(step)
      if (kind < 0) continue
      can.add(kind)
      if (inside(graph.target(step))) taken.add(kind)
    }
    const before: ReadonlySet<number> = always ?? can
    always = new Set([...before].filter((kind) => can.has(kind)))
  }
  return [...(always ?? [])].every((kind) => taken.has(kind))
}

/** A walk through every state of the component and back to where it began. */
const roundOf = (graph: Graph, component: ReadonlyArray<number>, start: number): ReadonlyArray<number> => {
  if (component.length === 1) return [start]
  const members = new Set(component)
  const left = new Set(component)
  const round = [start]
  left.delete(start)
  const goto = (wanted: (state: number) => boolean): void => {
    const from = round.at(-1) ?? start
    const parents = new Map<number, number>([[from, from]])
    const queue = [from]
    for (const state of queue) {
      if (state !== from && wanted(state)) {
        const way: Array<number> = []
        for (let at = state; at !== from; at = parents.get(at) ?? from) way.unshift(at)
        for (const one of way) left.delete(one)
        round.push(...way)
        return
      }
      for (let step = graph.first(state); step < graph.first(state + 1); step++) {
        const to = graph.target(step)
        if (graph.kind(step) === ends || !members.has(to) || parents.has(to)) continue
        parents.set(to, state)
        queue.push(to)
      }
    }
  }
  // a large one is shown in part: enough to see what goes round
  for (let limit = 0; left.size > 0 && limit < 40; limit++) goto((state) => left.has(state))
  goto((state) => state === start)
  round.pop()
  return round
}

/**
 * A fair round without `holds`, that is reached from a state of `from` without passing one of `holds`; null where there is none: then what is due
 * happens. For `P ~> Q`, `from` is P; for `[]<>P`, it is every state.
 */
export const fairRound = (
  graph: Graph,
  states: number,
  from: (state: number) => boolean,
  holds: (state: number) => boolean
): Round | null => {
  const starts: Array<number> = []
  for (let state = 0; state < states; state++) if (from(state) && !holds(state)) starts.push(state)
  if (starts.length === 0) return null
  const parents = reach(graph, states, starts, (state) => !holds(state))
  const has = (state: number): boolean => parents[state] !== -1
  let best: ReadonlyArray<number> | null = null
  let start = states
  for (const component of components(graph, states, has)) {
    const least = component.reduce((one, other) => Math.min(one, other))
    if (least > start) continue
    const members = new Set(component)
    if (!isFair(graph, component, (state) => members.has(state))) continue
    best = component
    start = least
  }
  if (best === null) return null
  const lead = [start]
  for (let at = start; parents[at] !== at; at = parents[at] ?? at) lead.unshift(parents[at] ?? at)
  return { since: lead[0] ?? start, lead, round: roundOf(graph, best, start) }
}
