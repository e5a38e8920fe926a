// Facets for tests of what runs them.
import type { BuiltFacet, FacetDeclaration, Firing, InterfaceReadyFacet } from "@muster/core"
import { Effect } from "effect"

export const declaration: FacetDeclaration = {
  key: "mirror",
  holds: "Nothing is off.",
  genre: "reference",
  tempo: "brisk",
  status: "built",
  policy: { path: "docs/mirror.md", anchor: "" },
  followUps: ["tell"]
}

/** One that nobody has built. */
export const declaredFacet = (key: string): InterfaceReadyFacet => ({
  ...declaration,
  key,
  status: "interface_ready"
})

/** One that answers as it is told. */
export const builtFacet = (
  reflect: BuiltFacet["reflect"],
  differs: Partial<FacetDeclaration> = {}
): BuiltFacet => ({ ...declaration, ...differs, status: "built", reflect })

export const firing = (differs: Partial<Firing> = {}): Firing => ({
  about: "thing",
  sentence: "something is off",
  followUp: "tell",
  evidence: { seen: 1 },
  ...differs
})

/** One that always says this. */
export const firingFacet = (
  differs: Partial<Firing> = {},
  declared: Partial<FacetDeclaration> = {}
): BuiltFacet => builtFacet(() => Effect.succeed(firing(differs)), declared)
