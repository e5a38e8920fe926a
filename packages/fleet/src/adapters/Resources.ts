/**
 * What this machine has left. NodeResources fills it; by default nothing is known, which holds nothing back.
 */
import { Context, Effect } from "effect"

export interface Left {
  /** Bytes that may still be written where the store is; null: unknown, or the store is in memory. */
  readonly disk: number | null
  /** Bytes of memory that programs may still take; null: unknown. */
  readonly memory: number | null
}

export interface ResourcesService {
  /** Looks again; never fails. `store`: the name of the store. */
  readonly look: (store: string) => Effect.Effect<Left>
}

export const Resources = Context.Reference<ResourcesService>("@muster/fleet/adapters/Resources", {
  defaultValue: () => ({ look: () => Effect.succeed({ disk: null, memory: null }) })
})
