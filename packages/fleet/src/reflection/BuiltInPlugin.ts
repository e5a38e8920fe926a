/**
 * The facets that every fleet is held against, as a plugin like any other. They are contributed in the order in which they are declared.
 */
import { type BuiltInFacetKey, type Facet, Plugin } from "@muster/core"
import { Effect } from "effect"
import { bankFreshness } from "./facets/BankFreshness.ts"
import { capacity } from "./facets/Capacity.ts"
import { recurringFailure } from "./facets/RecurringFailure.ts"
import { spend } from "./facets/Spend.ts"
import { stalePointer } from "./facets/StalePointer.ts"

/** The compiler finds one that is declared and missing here. */
const implementations: { readonly [Key in BuiltInFacetKey]: Facet } = {
  "recurring-failure": recurringFailure,
  "bank-freshness": bankFreshness,
  "stale-pointer": stalePointer,
  capacity,
  spend
}

const inOrder: ReadonlyArray<Facet> = Object.values(implementations)

export const reflectionPlugin = Plugin.make({
  name: "muster-reflection",
  version: "1.0.0",
  make: Effect.succeed({ facets: inOrder })
})
