/**
 * Goes through all states that can be reached, the near ones first, so that what it finds broken is as few steps away as can be.
 */
import { Column } from "./Column.ts"
import type { Limits, System } from "./System.ts"
import { Visited } from "./Visited.ts"

/** Safety: what must hold in each state, or of each step. */
export interface Safety<State> {
  readonly id: string
  /**
   * A sentence where it is broken; null where it holds. `before` is null for the first state. `fresh`: no state of its key was met before, so
   * what is said of the state alone is new.
   */
  readonly broken: (before: State | null, after: State, fresh: boolean) => string | null
}

/** How something came about, from the first state on. */
export interface Path<State, Label> {
  readonly states: ReadonlyArray<State>
  /** One fewer than the states: what led from each to the next. */
  readonly labels: ReadonlyArray<Label>
}

export interface Break<State, Label> {
  readonly id: string
  readonly finding: string
  readonly path: Path<State, Label>
}

/** Hears of the graph while it is built: states by their numbers, each before the steps that leave it. */
export interface Listener<State, Label> {
  readonly state: (number: number, state: State) => void
  readonly step: (from: number, label: Label, to: number, before: State) => void
}

export interface Search<State, Label> {
  readonly states: number
  /** Steps that were tried, those to states that were met before included. */
  readonly transitions: number
  /** Steps from the first state to the farthest one. */
  readonly depth: number
  /** False where the limit of states has ended it: then nothing is known of the rest. */
  readonly complete: boolean
  /** The first break of each invariant. */
  readonly breaks: ReadonlyArray<Break<State, Label>>
  /** How to get to a state, by its number, and then on along these. */
  readonly pathAlong: (number: number, further: ReadonlyArray<number>) => Path<State, Label>
}

export interface SearchOptions<State, Label> {
  readonly limits: Limits
  readonly safety?: ReadonlyArray<Safety<State>>
  /** Stops at the first break; else each invariant gets its own, and no broken state is left by a step. */
  readonly stopAtFirst?: boolean
  readonly listener?: Listener<State, Label>
}

/** A step that leads to the key, from a state that need not be the one that stands for it. */
const stepTo = <State, Label>(
  system: System<State, Label>,
  from: State,
  isWanted: (key: string) => boolean
): readonly [Label, State] | undefined => {
  for (const step of system.successors(from)) if (isWanted(system.key(step[1]))) return step
  return undefined
}

/**
 * A way through the states that stand for others, by the numbers of the steps that were taken, and then along states by their numbers. What
 * stands for a state may have other names in it; so the steps are taken again without it, and each is the one that leads to the same key.
 */
const replay = <State, Label>(
  system: System<State, Label>,
  visited: Visited,
  ordinals: ReadonlyArray<number>,
  further: ReadonlyArray<number>
): Path<State, Label> => {
  const normal = system.normal ?? ((state: State) => state)
  const states = [system.initial]
  const labels: Array<Label> = []
  let standing = normal(system.initial)
  let state = system.initial
  const take = (step: readonly [Label, State] | undefined): boolean => {
    if (step === undefined) return false
    const key = system.key(step[1])
    const [label, after] = stepTo(system, state, (other) => other === key) ?? step
    labels.push(label)
    states.push(after)
    state = after
    standing = normal(step[1])
    return true
  }
  for (const ordinal of ordinals) if (!take(Array.from(system.successors(standing))[ordinal])) break
  for (const number of further)
    if (!take(stepTo(system, standing, (key) => visited.find(key) === number))) break
  return { states, labels }
}

export const search = <State, Label>(
  system: System<State, Label>,
  { limits, listener, safety = [], stopAtFirst = false }: SearchOptions<State, Label>
): Search<State, Label> => {
  const visited = new Visited()
  const parents = new Column()
  const ordinals = new Column()
  const normal = system.normal ?? ((state: State) => state)
  const breaks = new Map<string, Break<State, Label>>()

  const pathAlong = (to: number, further: ReadonlyArray<number>, last?: number): Path<State, Label> => {
    const taken = last === undefined ? [] : [last]
    for (let at = to; at !== 0; at = parents.at(at)) taken.unshift(ordinals.at(at))
    return replay(system, visited, taken, further)
  }

  /** Whether anything is broken; the first time is kept, with the way there. */
  const isBroken = (
    before: State | null,
    after: State,
    fresh: boolean,
    from: number,
    ordinal: number
  ): boolean => {
    let found = false
    for (const { broken, id } of safety) {
      const finding = broken(before, after, fresh)
      if (finding === null) continue
      found = true
      if (breaks.has(id)) continue
      const path = pathAlong(from, [], before === null ? undefined : ordinal)
      const [last = after, previous = null] = path.states.toReversed()
      // told in the names of the way there, where that can be
      breaks.set(id, { id, finding: broken(previous, last, true) ?? finding, path })
    }
    return found
  }

  let transitions = 0
  let depth = 0
  let complete = true
  let level: Array<State> = []
  let next: Array<State> = []
  const meet = (state: State, parent: number, ordinal: number, expand: boolean): void => {
    parents.push(parent)
    ordinals.push(ordinal)
    const standing = normal(state)
    listener?.state(visited.size - 1, standing)
    // a broken state keeps its number, and nothing leaves it
    numbers.push(expand ? visited.size - 1 : -1)
    next.push(standing)
  }
  let numbers: Array<number> = []

  visited.add(system.key(system.initial))
  meet(system.initial, 0, 0, !isBroken(null, system.initial, true, 0, 0))
  search: while (next.length > 0) {
    level = next
    const froms = numbers
    next = []
    numbers = []
    for (const [index, before] of level.entries()) {
      const from = froms[index] ?? -1
      if (from === -1) continue
      let ordinal = 0
      for (const [label, after] of system.successors(before)) {
        transitions++
        const known = visited.size
        const to = visited.add(system.key(after))
        const broken = isBroken(before, after, to === known, from, ordinal)
        if (to === known) meet(after, from, ordinal, !broken)
        listener?.step(from, label, to, before)
        ordinal++
        if (broken && (stopAtFirst || breaks.size === safety.length)) break search
      }
      if (visited.size > limits.states) {
        complete = false
        break search
      }
    }
    if (next.length > 0) depth++
  }
  return {
    states: visited.size,
    transitions,
    depth,
    complete,
    breaks: [...breaks.values()],
    pathAlong
  }
}
