/**
 * The durable steps of a job's work, as a runner reaches them (R28): a step's start is written before it is done, its result after, and a
 * later incarnation gets the result instead of doing it again.
 */
import type { Effect } from "effect"
import type { MarkerInvalid } from "../domain/errors/ContractErrors.ts"

export interface Markers {
  /**
   * The results of the finished steps, JSON text, by the name under which they are kept (`markerName`). Those of earlier incarnations
   * are there from the start, this one's own from when they are written.
   */
  readonly finished: ReadonlyMap<string, string>
  /**
   * Says that the step begins, and returns when that is durable. False: it was refused, since the incarnation no longer owns its job, and
   * the step must not be done. Waits for as long as the store doesn't answer: meanwhile nothing begins (R21). Asked in the order
   * in which the effects start.
   */
  readonly start: (name: string) => Effect.Effect<boolean, MarkerInvalid>
  /** Says that the step is done, with its result as JSON text; null says that it is known not to have been done. False as above. */
  readonly finish: (name: string, result: string | null) => Effect.Effect<boolean, MarkerInvalid>
}
