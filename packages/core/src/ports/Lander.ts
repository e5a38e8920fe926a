/**
 * The lander contract: brings a verified result home, once. Its start is committed before it runs, and only its own answer settles
 * a landing: after a crash the fleet asks `check` before anything else (R26, R27).
 */
import type { Effect, Scope } from "effect"
import type { Assignment } from "./Runner.ts"

/** What is to be landed; stored before the landing begins, so that a repetition carries the same one. */
export interface LandingOrder {
  readonly assignment: Assignment
  /** The encoded result, JSON text. */
  readonly result: string
  /**
   * The incarnation, to be checked where the effect happens: a smaller one than seen before of the same job, from `land` or from `check`, is
   * refused there. Not the host's epoch: who takes a job over may have come to the store before the one who lost it.
   */
  readonly fencingToken: number
}

export type Landing =
  /** It is home; `reference` says where (a commit, a URL), null where that says nothing. */
  | { readonly _tag: "Landed"; readonly reference: string | null }
  /** The target has moved; it is untouched. */
  | { readonly _tag: "Conflict"; readonly detail: string }

export interface Lander<R = never> {
  /** Unique among the fleet's landers; `keep` ships and leaves the result in the store. */
  readonly name: string
  /** Idempotent by the stored order. A failure or a defect leaves the landing unknown. */
  readonly land: (order: LandingOrder) => Effect.Effect<Landing, unknown, R | Scope.Scope>
  /** Whether the order has landed. */
  readonly check: (
    order: LandingOrder
  ) => Effect.Effect<"landed" | "absent" | "unknown", unknown, R | Scope.Scope>
}
