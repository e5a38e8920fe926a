/**
 * Goes through all states that can be reached, the near ones first, so that what it finds broken is as few steps away as can be.
 */
import type { Always, AlwaysStep } from "../Temporal.ts"
import { Column } from "./Column.ts"
import type { Limits, System } from "./System.ts"
import { Visited } from "./Visited.ts"

/** Safety: what must hold in each state, or of each step. A state that was met before, by its key, is not looked at again; each step is. */
export interface Safety<State> {
  readonly id: string
  readonly temporal: Always<State> | AlwaysStep<State>
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
  /** How to get to a state, by its number. */
  readonly pathTo: (number: number) => Path<State, Label>
}

export interface SearchOptions<State, Label> {
  readonly limits: Limits
  readonly safety?: ReadonlyArray<Safety<State>>
  /** Stops at the first break; else each invariant gets its own, and no broken state is left by a step. */
  readonly stopAtFirst?: boolean
  readonly listener?: Listener<State, Label>
}

/**
 * From the first state to one by the numbers of the steps that were taken. What stands for a state may have other names in it; so the steps are
 * taken again without it, and each is the one that leads to the same key.
 */
const replay = <State, Label>(
  system: System<State, Label>,
  ordinals: ReadonlyArray<number>
): Path<State, Label> => {
  const normal = system.normal ?? ((state: State) => state)
  const states = [system.initial]
  const labels: Array<Label> = []
  let standing = normal(system.initial)
  let state = system.initial
  for (const ordinal of ordinals) {
    const [label, after] = Array.from(system.successors(standing))[ordinal] ?? []
    if (label === undefined || after === undefined) break
    const key = system.key(after)
    const same = Array.from(system.successors(state)).find(([, other]) => system.key(other) === key)
    labels.push(same?.[0] ?? label)
    state = same?.[1] ?? after
    states.push(state)
    standing = normal(after)
  }
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

  const pathTo = (number: number, last?: number): Path<State, Label> => {
    const taken = last === undefined ? [] : [last]
    for (let at = number; at !== 0; at = parents.at(at)) taken.unshift(ordinals.at(at))
    return replay(system, taken)
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
    for (const { id, temporal } of safety) {
      const finding =
        temporal.over === "step"
          ? before === null
            ? null
            : temporal.broken(before, after)
          : fresh
            ? temporal.broken(after)
            : null
      if (finding === null) continue
      found = true
      if (!breaks.has(id))
        breaks.set(id, { id, finding, path: before === null ? pathTo(0) : pathTo(from, ordinal) })
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
  return { states: visited.size, transitions, depth, complete, breaks: [...breaks.values()], pathTo }
}
