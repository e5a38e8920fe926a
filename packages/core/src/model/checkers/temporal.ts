/**
 * The checker of hairy liveness: all states that can be reached, and then a round through them, or a state that stands still, in which what is due
 * never happens though everybody acts who has to. No time-out is in it.
 */
import { Column } from "../explore/Column.ts"
import { ends, fairRound, Graph, whim } from "../explore/FairCycle.ts"
import { type Search, search } from "../explore/Search.ts"
import type { Limits, System } from "../explore/System.ts"
import { type Teller, tellPath } from "../explore/tellPath.ts"
import type { Invariant } from "../Invariant.ts"
import type { Subject } from "../Temporal.ts"
import { type Trace, type Verdict, verdict } from "../Verdict.ts"
import type { Checked } from "./exhaustive.ts"

/** Whether a step has to be taken some time, if it can be all the time: steps of one class are weakly fair together. */
export type Obligation =
  | { readonly _tag: "Fair"; readonly class: string }
  /** It may be taken or not. */
  | { readonly _tag: "Whim" }
  /** It may be taken, and not for ever. */
  | { readonly _tag: "Ends" }

export interface TemporalOptions<State, Label, Seen> extends Teller<State, Label> {
  readonly limits: Limits
  readonly look: (state: State) => Seen
  readonly obligation: (state: State, label: Label) => Obligation
}

/** What is so of each subject in each state: two bits a subject, due and done. */
class Facts<Seen> {
  readonly invariant: Invariant<Seen, "temporal">
  private readonly bits = new Column()
  readonly subjects: Array<Subject> = []

  constructor(invariant: Invariant<Seen, "temporal">) {
    this.invariant = invariant
  }

  private place(subject: Subject): number {
    const known = this.subjects.indexOf(subject)
    return known === -1 ? this.subjects.push(subject) - 1 : known
  }

  add(state: Seen): void {
    const { temporal } = this.invariant
    let bits = 0
    for (const subject of temporal.subjects(state)) {
      const due = temporal.form === "[]<>P" || temporal.when(state, subject)
      const done = temporal.holds(state, subject)
      bits |= ((due ? 1 : 0) | (done ? 2 : 0)) << (2 * this.place(subject))
      bits |= 1 << (16 + this.place(subject))
    }
    this.bits.push(bits)
  }

  due(state: number, subject: number): boolean {
    return (this.bits.at(state) & (1 << (2 * subject))) !== 0
  }

  /** What is no more is not waited for. */
  done(state: number, subject: number): boolean {
    const bits = this.bits.at(state)
    return (bits & (2 << (2 * subject))) !== 0 || (bits & (1 << (16 + subject))) === 0
  }
}

const traceOf = <State, Label, Seen>(
  facts: Facts<Seen>,
  graph: Graph,
  found: Search<State, Label>,
  options: TemporalOptions<State, Label, Seen>
): Trace | null => {
  for (const [place, subject] of facts.subjects.entries()) {
    const round = fairRound(
      graph,
      found.states,
      (state) => facts.due(state, place),
      (state) => facts.done(state, place)
    )
    if (round === null) continue
    const [start = 0] = round.round
    const turns = round.round.length > 1 ? [...round.round.slice(1), start] : []
    const path = found.pathAlong(round.since, [...round.lead.slice(1), ...turns])
    const steps = tellPath(path, options)
    const of = facts.subjects.length > 1 ? ` of number ${subject}` : ""
    return {
      finding: `this may never come about${of}: ${facts.invariant.sentence}`,
      steps:
        turns.length > 0
          ? steps
          : [...steps, { act: "nothing more happens", seen: ["nobody has anything to do"] }],
      cycleFrom: steps.length - turns.length
    }
  }
  return null
}

export const temporal = <State, Label, Seen>(
  invariants: ReadonlyArray<Invariant<Seen, "temporal">>,
  system: System<State, Label>,
  options: TemporalOptions<State, Label, Seen>
): Checked => {
  const { limits, look, obligation } = options
  const graph = new Graph()
  const all = invariants.map((invariant) => new Facts(invariant))
  const classes = new Map<string, number>()
  const classOf = (state: State, label: Label): number => {
    const duty = obligation(state, label)
    if (duty._tag !== "Fair") return duty._tag === "Whim" ? whim : ends
    const known = classes.get(duty.class) ?? classes.size
    classes.set(duty.class, known)
    return known
  }
  const found = search(system, {
    limits,
    listener: {
      state: (_, state) => {
        for (const facts of all) facts.add(look(state))
      },
      step: (from, label, to, before) => {
        if (from !== to) graph.step(from, to, classOf(before, label))
      }
    }
  })
  graph.close(found.states)
  const explored = { unit: "states", count: found.states, steps: found.transitions } as const
  const verdicts = all.map((facts): Verdict => {
    const trace = found.complete ? traceOf(facts, graph, found, options) : null
    return verdict(facts.invariant, {
      explored,
      verdict: trace !== null ? "broken" : found.complete ? "holds" : "unfinished",
      trace
    })
  })
  return { verdicts, states: found.states, transitions: found.transitions, depth: found.depth }
}
