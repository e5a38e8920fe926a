/**
 * Nodes of the model against registries, both ways: facets against the plugin host's, invariants against the checks that exist and ran.
 */
import type { Drift, DriftDimension, DriftKind } from "./Drift.ts"

/** A facet as a node of the model, or as a plugin host has it. */
export interface FacetNode {
  readonly key: string
  /** `built` or `interface_ready`. */
  readonly status: string
  readonly genre: string
  /** Its policy material, by reference. */
  readonly policy: { readonly path: string; readonly anchor: string }
}

/** Where both sides of a comparison are written down. */
export interface Sides {
  /** The declared side, with its file. */
  readonly declared: string
  /** The live side: a registry, with its file or its host. */
  readonly live: string
}

const about =
  (dimension: DriftDimension, { declared, live }: Sides) =>
  (kind: DriftKind, name: string, sentence: string): Drift => ({
    dimension,
    kind,
    name,
    declared,
    live,
    sentence
  })

const told = {
  status: ({ status }: FacetNode): string => status,
  genre: ({ genre }: FacetNode): string => genre,
  policy: ({ policy }: FacetNode): string => `${policy.path}#${policy.anchor}`
}

/** Declared facets against a registry. A facet that is only `interface_ready` need not be registered by every host. */
export const facetDrifts = (
  declared: ReadonlyArray<FacetNode>,
  registered: ReadonlyArray<FacetNode>,
  sides: Sides
): ReadonlyArray<Drift> => {
  const drift = about("facets", sides)
  const live = new Map(registered.map((facet) => [facet.key, facet]))
  const known = new Set(declared.map(({ key }) => key))
  return [
    ...declared.flatMap((node) => {
      const found = live.get(node.key)
      if (found === undefined)
        return node.status === "built"
          ? [
              drift(
                "missing",
                node.key,
                `declared facet '${node.key}' of ${sides.declared} is built, and missing from ${sides.live}`
              )
            ]
          : []
      return Object.entries(told)
        .filter(([, of]) => of(node) !== of(found))
        .map(([field, of]) =>
          drift(
            "different",
            node.key,
            `declared facet '${node.key}' of ${sides.declared} has ${field} '${of(node)}', and '${of(found)}' in ${sides.live}`
          )
        )
    }),
    ...registered
      .filter(({ key }) => !known.has(key))
      .map(({ key }) =>
        drift("undeclared", key, `facet '${key}' of ${sides.live} is not declared in ${sides.declared}`)
      )
  ]
}

/** A declared invariant with the tier that was derived for it. */
export interface InvariantNode {
  readonly id: string
  readonly tier: string
}

/** A check that exists: of which invariant, in which tier. */
export interface CheckNode {
  readonly invariant: string
  readonly tier: string
}

/**
 * Declared invariants against the checks that exist, tier by tier.
 *
 * @param ran the invariants that were really looked at in a run; left out: nothing has run, so that nobody can say
 */
export const invariantDrifts = (
  declared: ReadonlyArray<InvariantNode>,
  checks: ReadonlyArray<CheckNode>,
  sides: Sides,
  ran?: ReadonlyArray<CheckNode>
): ReadonlyArray<Drift> => {
  const drift = about("invariants", sides)
  const has = (list: ReadonlyArray<CheckNode>, { id, tier }: InvariantNode): boolean =>
    list.some((one) => one.invariant === id && one.tier === tier)
  const ids = new Set(declared.map(({ id }) => id))
  return [
    ...declared.flatMap((node) => {
      const others = checks.filter(({ invariant }) => invariant === node.id).map(({ tier }) => tier)
      if (!has(checks, node))
        return [
          others.length === 0
            ? drift(
                "missing",
                node.id,
                `declared invariant '${node.id}' of ${sides.declared}, tier ${node.tier}, has no check in ${sides.live}`
              )
            : drift(
                "different",
                node.id,
                `declared invariant '${node.id}' of ${sides.declared} derives tier ${node.tier}, and is checked in ${others.join(", ")} by ${sides.live}`
              )
        ]
      return ran !== undefined && !has(ran, node)
        ? [
            drift(
              "unseen",
              node.id,
              `declared invariant '${node.id}' of ${sides.declared}, tier ${node.tier}, has a check in ${sides.live} that did not run`
            )
          ]
        : []
    }),
    ...Array.from(new Set(checks.map(({ invariant }) => invariant)))
      .filter((id) => !ids.has(id))
      .map((id) =>
        drift(
          "undeclared",
          id,
          `check '${id}' of ${sides.live} is of no invariant declared in ${sides.declared}`
        )
      )
  ]
}
