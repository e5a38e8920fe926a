/**
 * Codes: the classes against the catalogue's rows, both ways, and what was really raised against both.
 */
import type { Catalogue } from "../../domain/ErrorCatalogue.ts"
import type { CodeRow } from "../../ports/StoreRows.ts"
import type { Drift, DriftKind } from "./Drift.ts"

export interface CodeSides {
  /** The codes of the classes that Muster raises (`orchErrors`). */
  readonly classes: ReadonlyArray<string>
  /** The codes of the rows that every catalogue starts from (`defaultRows`), prefixes among them. */
  readonly rows: ReadonlyArray<string>
  /** The catalogue of the fleet at hand: the default rows and those of its hosts and plugins. */
  readonly catalogue: Catalogue
  /** What the store holds. */
  readonly raised: ReadonlyArray<CodeRow>
}

const classFile = "packages/core/src/domain/errors/OrchError.ts"
const rowFile = "packages/core/src/domain/DefaultCatalogue.ts"

const code = (kind: DriftKind, name: string, live: string, sentence: string): Drift => ({
  dimension: "codes",
  kind,
  name,
  declared: `the catalogue (${rowFile})`,
  live,
  sentence
})

/**
 * Rows that answer for codes that nobody has declared: any at all, and those that are the runtime's own by their name. The prefixes of domains
 * and `ORCH_RETRYABLE_*` declare whatever agents raise under them.
 */
const lastResorts: ReadonlySet<string> = new Set(["*", "ORCH_*"])

const placesOf = (rows: ReadonlyArray<CodeRow>): string =>
  rows.map(({ count, place }) => `${count} in ${place}`).join(", ")

/**
 * @param store its name, for the lines
 */
export const codeDrifts = (
  { catalogue, classes, raised, rows }: CodeSides,
  store: string
): ReadonlyArray<Drift> => {
  const prefixes = rows.filter((row) => row.endsWith("*") && row !== "*").map((row) => row.slice(0, -1))
  const isCovered = (name: string): boolean =>
    rows.includes(name) || prefixes.some((prefix) => name.startsWith(prefix))
  return [
    ...classes
      .filter((name) => !isCovered(name))
      .map((name) =>
        code(
          "missing",
          name,
          `its class (${classFile})`,
          `code '${name}' has a class (${classFile}) and no row of the catalogue (${rowFile})`
        )
      ),
    ...rows
      .filter((name) => !name.endsWith("*") && !classes.includes(name))
      .map((name) =>
        code(
          "undeclared",
          name,
          `no class (${classFile})`,
          `the catalogue has a row for code '${name}' (${rowFile}), which no class raises (${classFile})`
        )
      ),
    ...Array.from(Map.groupBy(raised, (row) => row.code))
      .filter(([name]) => lastResorts.has(catalogue.lookup(name).policy.code))
      .map(([name, found]) =>
        code(
          "undeclared",
          name,
          store,
          `code '${name}' was raised in ${store} (${placesOf(found)}) and no row of the catalogue declares it (${rowFile}, or the codes of the host that raises it)`
        )
      )
  ]
}
