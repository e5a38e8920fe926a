/**
 * The gate contract: one clause of the definition of done. All of a workflow's gates must pass; a gate that breaks has not passed
 * (R25: it alone is repeated, a bounded number of times).
 */
import type { Effect, Scope } from "effect"
import type { Assignment } from "./Runner.ts"

/** An outcome, not an error. A rejection's reasons are handed to the next attempt; at most 1 KiB each. */
export type Verdict =
  | { readonly _tag: "Pass" }
  | { readonly _tag: "Reject"; readonly reasons: ReadonlyArray<string> }

export interface Gate<R = never> {
  /** Unique among the fleet's gates. */
  readonly name: string
  /** Judges the work. `result` is the encoded result, JSON text. Run again for each attempt, and after a crash; it changes nothing. */
  readonly check: (assignment: Assignment, result: string) => Effect.Effect<Verdict, unknown, R | Scope.Scope>
}
