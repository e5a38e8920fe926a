/**
 * How an invariant is verified follows from what it is: two or more lanes that meet at a race-shaped primitive make it hairy; hairy safety
 * asks for a search of all states, hairy liveness for a temporal check with fairness, and for all else a property test does (design, "The
 * fleet model"). The types say the same as the function, so that a checker takes only what is its own.
 */
import { isRaceShaped, type Primitive, type RaceShaped } from "./Primitive.ts"
import type { Form } from "./Temporal.ts"

export const tiers = ["property", "exhaustive", "temporal"] as const
export type Tier = (typeof tiers)[number]

export type Hairy<Lanes extends ReadonlyArray<string>, P extends Primitive> = Lanes extends readonly [
  string,
  string,
  ...ReadonlyArray<string>
]
  ? P extends RaceShaped
    ? true
    : false
  : false

export type TierOf<Lanes extends ReadonlyArray<string>, P extends Primitive, F extends Form> =
  Hairy<Lanes, P> extends true ? (F extends "[]P" ? "exhaustive" : "temporal") : "property"

/** The forms that a tier's checker decides. */
export type FormOf<T extends Tier> = T extends "exhaustive"
  ? "[]P"
  : T extends "temporal"
    ? "[]<>P" | "P ~> Q"
    : Form

export interface Derived<T extends Tier = Tier> {
  readonly hairy: boolean
  readonly tier: T
}

/** The only place where a tier comes from. */
export const derive = <
  const Lanes extends ReadonlyArray<string>,
  const P extends Primitive,
  const F extends Form
>(
  lanes: Lanes,
  primitive: P,
  form: F
): Derived<TierOf<Lanes, P, F>> => {
  const hairy = lanes.length >= 2 && isRaceShaped(primitive)
  const tier: Tier = hairy ? (form === "[]P" ? "exhaustive" : "temporal") : "property"
  // the type says what the line above does; a test compares them over all lanes, primitives and forms
  return { hairy, tier: tier as TierOf<Lanes, P, F> }
}
