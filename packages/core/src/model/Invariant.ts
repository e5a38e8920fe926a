/**
 * A sentence about the fleet that must be true, with what decides it. Its tier is derived, and can't be given: only `make` builds one.
 */
import type { Primitive } from "./Primitive.ts"
import type { StateOf, Temporal } from "./Temporal.ts"
import { derive, type FormOf, type Tier, type TierOf } from "./Tier.ts"

const derived: unique symbol = Symbol("derived")

export interface Invariant<State, T extends Tier = Tier, Lane extends string = string> {
  /** In kebab-case, unique in its model, stable: verdicts, documents and the drift gate name it. */
  readonly id: string
  /** One sentence, true of a sound fleet. */
  readonly sentence: string
  /** Who can break it; none twice. */
  readonly lanes: ReadonlyArray<Lane>
  /** What they rely on. */
  readonly primitive: Primitive
  readonly temporal: Temporal<State, FormOf<T>>
  /** Two or more lanes meet at a race-shaped primitive. */
  readonly hairy: boolean
  /** Which checker decides it. */
  readonly tier: T
  /** Where the rule stands: a seed's sentence, a rule's number. */
  readonly source: string
  /** Made by nothing but `make`. */
  readonly [derived]: true
}

interface Declaration<Lanes extends ReadonlyArray<string>, P extends Primitive, T extends Temporal<never>> {
  readonly id: string
  readonly sentence: string
  readonly lanes: Lanes
  readonly primitive: P
  readonly temporal: T
  readonly source: string
}

/** Declares an invariant; state, lanes and tier are inferred from the declaration. */
export const make = <
  const Lanes extends readonly [string, ...ReadonlyArray<string>],
  const P extends Primitive,
  T extends Temporal<never>
>(
  declaration: Declaration<Lanes, P, T>
): Invariant<StateOf<T>, TierOf<Lanes, P, T["form"]>, Lanes[number]> => {
  const { lanes, primitive, temporal } = declaration
  const made = { ...declaration, ...derive(lanes, primitive, temporal.form), [derived]: true as const }
  // the compiler can't follow that a formula of form F over State is one of Temporal<State, F>
  return made as unknown as Invariant<StateOf<T>, TierOf<Lanes, P, T["form"]>, Lanes[number]>
}

/** Whether the invariant is one of this tier. */
export const isOf =
  <T extends Tier>(tier: T) =>
  <State, Lane extends string>(
    invariant: Invariant<State, Tier, Lane>
  ): invariant is Invariant<State, T, Lane> =>
    invariant.tier === tier
