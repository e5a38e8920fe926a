/**
 * A scenario: a promise of the design, and what is done to hosts, processes and files to see it broken. What it does is written in the
 * verbs of the stage; whether the promise held is said by the oracles, after every scenario the same.
 */
import { Data, type Effect, type Scope } from "effect"
import type { Stage } from "./harness/Stage.ts"

/** A promise was not kept, or something that had to happen did not. */
export class Broken extends Data.TaggedError("Broken")<{ readonly detail: string }> {
  override get message(): string {
    return this.detail
  }
}

/** It can't be tried here. */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {}

/** How much of it. */
export interface Plan {
  /** Kills to spend at most; a scenario that has no use for a number ignores it. */
  readonly kills: number
  /** Every choice that is left to chance follows from it. */
  readonly seed: number
}

export interface Scenario {
  /** Unique; words with dashes. */
  readonly name: string
  /** The sentence that it proves. */
  readonly promise: string
  /** Its part of a whole run's kills, in the unit of `--kills`; 0 for none of them. */
  readonly share: number
  /** Puts the store on a file system of its own that is so small; none unless set. */
  readonly diskMebibytes?: number
  readonly play: (stage: Stage, plan: Plan) => Effect.Effect<void, Broken | Skipped, Scope.Scope>
}

export type Verdict =
  | { readonly _tag: "Kept" }
  | { readonly _tag: "Broken"; readonly details: ReadonlyArray<string> }
  | { readonly _tag: "Skipped"; readonly reason: string }

/** What came of one scenario. */
export interface Outcome {
  readonly name: string
  readonly promise: string
  readonly verdict: Verdict
  /** Hosts and agents that were ended with SIGKILL. */
  readonly kills: number
  readonly jobs: number
  readonly seconds: number
  /** Milliseconds from a host's first own line to its first dispatch, where work was waiting; ascending. */
  readonly restarts: ReadonlyArray<number>
  /** Of the start of its process: with the loading of its code. */
  readonly restartsWhole: ReadonlyArray<number>
  /** What was measured beside that. */
  readonly remarks: ReadonlyArray<string>
}
