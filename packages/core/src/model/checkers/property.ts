/**
 * The checker of linear invariants: random walks, each from a seed that is told. What it finds is shortened by leaving acts out, and comes with
 * what is left as a trace.
 */
import { draw } from "../../domain/Draw.ts"
import type { Invariant } from "../Invariant.ts"
import type { Subject } from "../Temporal.ts"
import { type Trace, type Verdict, verdict } from "../Verdict.ts"
import { follow, type Trail, type WalkOptions, type Walks } from "../walks/Walks.ts"

/** Numbers that choose are below this. */
const dice = 9_973

/** What is broken, and after how many acts it is to be seen. */
interface Finding {
  readonly text: string
  readonly at: number
}

/** Liveness, at the end of a settled trail: what was to come sooner or later and has not come. */
const outstanding = <State>(
  states: ReadonlyArray<State>,
  subjects: (state: State) => ReadonlyArray<Subject>,
  when: (state: State, subject: Subject) => boolean,
  holds: (state: State, subject: Subject) => boolean
): ReadonlyMap<Subject, number> => {
  const since = new Map<Subject, number>()
  for (const [at, state] of states.entries())
    for (const subject of subjects(state)) {
      if (holds(state, subject)) since.delete(subject)
      else if (when(state, subject) && !since.has(subject)) since.set(subject, at)
    }
  return since
}

/** The first finding of an invariant along a trail; liveness is decided where the trail has settled. */
const firstFinding = <State, Act>(
  { sentence, temporal }: Invariant<State, "property">,
  { settled, states }: Trail<State, Act>
): Finding | null => {
  const last = states.length - 1
  switch (temporal.form) {
    case "[]P":
      for (const [at, state] of states.entries()) {
        const before = states[at - 1]
        const text =
          temporal.over === "state"
            ? temporal.broken(state)
            : before === undefined
              ? null
              : temporal.broken(before, state)
        if (text !== null) return { text, at }
      }
      return null
    case "[]<>P": {
      const end = states[last]
      const subject =
        settled && end !== undefined
          ? temporal.subjects(end).find((one) => !temporal.holds(end, one))
          : undefined
      return subject === undefined
        ? null
        : { text: `at the end not so of number ${subject}: ${sentence}`, at: last }
    }
    case "P ~> Q": {
      if (!settled) return null
      const [first] = outstanding(states, temporal.subjects, temporal.when, temporal.holds)
      return first === undefined
        ? null
        : { text: `this never comes about of number ${first[0]}: ${sentence}`, at: last }
    }
  }
}

/** The acts of a trail, up to its finding, without those that the finding doesn't need. */
const shortened = <State, Act>(
  invariant: Invariant<State, "property">,
  walks: Walks<State, Act>,
  found: readonly [Trail<State, Act>, Finding]
): readonly [Trail<State, Act>, Finding] => {
  /** The same invariant broken by these acts; null where it isn't, or where they can't happen. */
  const attempt = (acts: ReadonlyArray<Act>): readonly [Trail<State, Act>, Finding] | null => {
    try {
      const trail = follow(walks, acts)
      const finding = firstFinding(invariant, trail)
      return finding === null ? null : [trail, finding]
    } catch {
      return null
    }
  }
  let best = found
  const acts = (): ReadonlyArray<Act> => best[0].acts.slice(0, Math.min(best[0].drawn, best[1].at))
  /** Leaves out runs of acts of this length, wherever that leaves the finding. */
  const without = (size: number): void => {
    for (let from = 0; from < acts().length;) {
      const kept = acts()
      const shorter = attempt([...kept.slice(0, from), ...kept.slice(from + size)])
      if (shorter === null) from += size
      else best = shorter
    }
  }
  for (let size = acts().length; size > 1; size = Math.floor(size / 2)) without(size)
  // What an act meant may depend on those before it: one may be left out only after another was.
  for (let length = Number.POSITIVE_INFINITY; acts().length < length;) {
    length = acts().length
    without(1)
  }
  return best
}

/** The steps up to the finding; of those that settle a trail only what shows. */
const traceOf = <State, Act>(
  { tell }: Walks<State, Act>,
  [{ acts, drawn, states }, { at, text }]: readonly [Trail<State, Act>, Finding]
): Trace => ({
  finding: text,
  steps: acts.slice(0, at).flatMap((act, index) => {
    const before = states[index]
    const after = states[index + 1]
    if (before === undefined || after === undefined) return []
    const told = tell(before, act, after)
    return index >= drawn && told.seen.length === 0 ? [] : [told]
  }),
  cycleFrom: null
})

/** The acts of one walk, as the seed draws them. */
const drawn = <State, Act>(
  walks: Walks<State, Act>,
  { length, seed }: WalkOptions,
  walk: number
): ReadonlyArray<Act> => {
  const acts: Array<Act> = []
  let state = walks.initial
  for (let at = 0; at < length; at++) {
    const chosen = [0, 1].map((which) => Math.floor(draw(seed, walk, 2 * at + which) * dice))
    const act = walks.choose(state, chosen[0] ?? 0, chosen[1] ?? 0)
    if (act === undefined) continue
    acts.push(act)
    state = walks.step(state, act)
  }
  return acts
}

/**
 * Walks so often, and holds every invariant against each state and step. Safety that isn't broken `holds`; so does liveness, unless the walks
 * don't settle: then it is `unfinished`.
 */
export const property = <State, Act>(
  invariants: ReadonlyArray<Invariant<State, "property">>,
  walks: Walks<State, Act>,
  options: WalkOptions
): ReadonlyArray<Verdict> => {
  const broken = new Map<string, Trace>()
  let steps = 0
  let count = 0
  for (let walk = 0; walk < options.walks && broken.size < invariants.length; walk++) {
    const trail = follow(walks, drawn(walks, options, walk))
    steps += trail.acts.length
    count++
    for (const invariant of invariants) {
      if (broken.has(invariant.id)) continue
      const finding = firstFinding(invariant, trail)
      if (finding !== null)
        broken.set(invariant.id, traceOf(walks, shortened(invariant, walks, [trail, finding])))
    }
  }
  return invariants.map((invariant) => {
    const trace = broken.get(invariant.id) ?? null
    const decided = invariant.temporal.form === "[]P" || walks.settle !== undefined
    return verdict(invariant, {
      explored: { unit: "walks", count, steps },
      verdict: trace !== null ? "broken" : decided ? "holds" : "unfinished",
      trace
    })
  })
}
