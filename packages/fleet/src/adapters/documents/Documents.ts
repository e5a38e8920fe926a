/**
 * Whether references to documents lead somewhere: policy material of facets, hints of the catalogue. NodeDocuments fills it.
 */
import type { PolicyReference, Resolution } from "@muster/core"
import { Context, type Effect } from "effect"

export class Documents extends Context.Service<
  Documents,
  {
    /** One answer a reference, in order; never fails. Each document is read once. */
    readonly resolve: (references: ReadonlyArray<PolicyReference>) => Effect.Effect<ReadonlyArray<Resolution>>
  }
>()("@muster/fleet/adapters/documents/Documents") {}
