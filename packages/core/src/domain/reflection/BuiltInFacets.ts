/**
 * The facets that come with the fleet, as declared nodes: what is built refers to them by key, and the drift gate holds the registry of a
 * fleet against them. Their numbers are those of the policy that they refer to.
 */
import type { FacetDeclaration } from "./FacetDeclaration.ts"

const document = "@muster/fleet/policy/reflection.md"

const table = {
  "recurring-failure": {
    holds: "A failure that was dealt with doesn't come back.",
    genre: "recurrence",
    tempo: "steady",
    status: "built",
    followUps: ["tell"]
  },
  "bank-freshness": {
    holds: "Each living host has banked within three freshness windows.",
    genre: "freshness",
    tempo: "brisk",
    status: "built",
    followUps: ["tell"]
  },
  "stale-pointer": {
    holds: "Every document that a facet or a hint refers to is there.",
    genre: "reference",
    tempo: "slow",
    status: "built",
    followUps: ["tell"]
  },
  capacity: {
    holds: "No job that could start waits beside a free slot.",
    genre: "capacity",
    tempo: "brisk",
    status: "built",
    followUps: ["look_again"]
  },
  spend: {
    holds: "What a landed job has cost stays within what its workflow may cost.",
    genre: "economy",
    tempo: "slow",
    status: "interface_ready",
    followUps: ["tell", "suggest"]
  }
} as const satisfies Record<string, Omit<FacetDeclaration, "key" | "policy">>

export type BuiltInFacetKey = keyof typeof table

/** One of them, with its status as the compiler knows it: what is declared as built has to be built. */
export const builtInFacet = <Key extends BuiltInFacetKey>(
  key: Key
): FacetDeclaration & { readonly status: (typeof table)[Key]["status"] } => {
  // the compiler sees it too; who runs the sources without it reads what it would have said
  if (!Object.hasOwn(table, key))
    throw new Error(
      `MODEL-DRIFT: facet '${key}' is built, and not declared in the model (packages/core/src/domain/reflection/BuiltInFacets.ts)`
    )
  return { key, ...table[key], policy: { path: document, anchor: key } }
}

/** In the order in which they take turns. */
export const builtInFacets: ReadonlyArray<FacetDeclaration> = Object.keys(table).map((key) =>
  // keys forgets which they were; they are those of the table
  builtInFacet(key as BuiltInFacetKey)
)

/** The numbers of the policy, in one place. */
export const reflectionPolicy = {
  /** So many failures of one code, of so many jobs, within the window, and so far apart that no burst is one. */
  recurrence: { failures: 5, jobs: 3, windowMillis: 3_600_000, apartMillis: 600_000 },
  /** Freshness windows of the bank after which one is stale. */
  bankWindows: 3,
  /** So long a job may be due beside a free slot, in milliseconds. */
  waitMillis: 30_000
} as const
