/**
 * Everything that a decision may look at beside the state and the signal: no clock, no randomness, no service (law 1).
 */
import type { Owner } from "../Agent.ts"
import type { Catalogue } from "../ErrorCatalogue.ts"
import type { WorkflowPolicy } from "../WorkflowPolicy.ts"
import type { CancelWish } from "./cancel.ts"

export interface Env {
  /** Epoch ms of this turn. */
  readonly now: number
  /** For the jitter: each draw is by (seed, job, attempt). */
  readonly seed: number
  /** The host that decides, as it will own what it dispatches; null for a command line, which moves unowned jobs only. */
  readonly owner: Owner | null
  /** `host:<number>`, the actor of its moves. */
  readonly actor: string
  readonly catalogue: Catalogue
  /** Of the workflows that this host serves, by name. */
  readonly workflows: ReadonlyMap<string, WorkflowPolicy>
  /** The cancels that nobody has settled, by the number of their job; left out: none. */
  readonly cancels?: ReadonlyMap<number, CancelWish>
}
