/**
 * The observer contract: watches events. It can neither veto nor fail: what it raises is logged with its name and it is cut off, and a
 * slow one misses events and never slows the fleet.
 */
import type { Effect } from "effect"
import type { LifecycleEvent } from "../domain/LifecycleEvent.ts"

export interface Observer<R = never> {
  /** Unique among the fleet's observers. */
  readonly name: string
  /** Called with the events of a turn after its commit, in order, at most once each while the host lives. */
  readonly observe: (events: ReadonlyArray<LifecycleEvent>) => Effect.Effect<void, unknown, R>
}
