/**
 * `muster facets`: the declared facets, whether their policies are there, and what was written of them in the store.
 */
import { builtInFacets, Outcome } from "@muster/core"
import { Documents, NodeDocuments } from "@muster/fleet"
import * as Effect from "effect/Effect"
import { configured } from "../config/Configured.ts"
import { documentsOf } from "../config/Settings.ts"
import { type FacetJson, facetJson } from "../json/FacetJson.ts"
import { answerAll, type Page } from "../output/Answer.ts"
import { relative } from "../output/Duration.ts"
import { type Column, table } from "../output/Table.ts"
import { oneLine, wrap } from "../output/Text.ts"
import { type Reflection, reflectionsSince } from "../store/Reflections.ts"
import * as StoreFile from "../store/StoreFile.ts"

/** Everything that was said; nothing where there is no store yet. */
const reflected = reflectionsSince(0).pipe(
  Effect.provide(StoreFile.layer("read")),
  Effect.catchTag("ORCH_STORE_MISSING", () => Effect.succeed<ReadonlyArray<Reflection>>([]))
)

const isFound = ({ policy }: FacetJson): boolean => policy === null || policy.resolution === "resolved"

const columns = (now: number): ReadonlyArray<Column<FacetJson>> => [
  { title: "facet", value: ({ facet }) => facet, shrinkTo: 10 },
  { title: "genre", value: ({ genre }) => genre ?? "" },
  { title: "tempo", value: ({ tempo }) => tempo ?? "" },
  {
    title: "status",
    value: ({ status }) => status ?? "of a plugin",
    paint: (style, { status }, text) => (status === "built" ? text : style.faint(text))
  },
  {
    title: "policy",
    value: (facet) => (facet.policy === null ? "" : isFound(facet) ? "found" : "missing"),
    paint: (style, facet, text) => (isFound(facet) ? text : style.bad(text))
  },
  { title: "fired", align: "right", value: ({ fired }) => String(fired) },
  {
    title: "last",
    value: ({ last }) => (last === null ? "never" : relative(Date.parse(last.at), now)),
    paint: (style, { last }, text) => (last === null ? style.faint(text) : style.waiting(text))
  }
]

/** What each has said last, and policies that lead nowhere. */
const words = ({ facet, last, policy }: FacetJson): ReadonlyArray<string> => [
  ...(last === null
    ? []
    : [`${facet}: ${last.sentence}${last.suggestion === null ? "" : ` (${last.suggestion})`}`]),
  ...(policy === null || policy.resolution === "resolved"
    ? []
    : [
        `${facet} is not asked: its policy ${Outcome.policyText(policy)} leads nowhere (${policy.resolution})`
      ])
]

const lines = (found: ReadonlyArray<FacetJson>, page: Page): ReadonlyArray<string> => {
  const said = found.flatMap(words).flatMap((text) => wrap(oneLine(text), page.width))
  return [...table(columns(page.now), found, page), ...(said.length === 0 ? [] : ["", ...said])]
}

/** What the fleet of this folder declares, and where it looks for documents. */
const declarations = Effect.map(configured, (found) => {
  if (found === null) return { facets: builtInFacets, root: "." }
  const { configuration, folder } = found
  const { declares = [], reflects = true } = configuration.config
  return {
    facets: [...(reflects ? builtInFacets : []), ...declares],
    root: documentsOf(configuration, folder) ?? folder
  }
})

const read = Effect.gen(function* () {
  const { facets: declared, root } = yield* declarations
  const resolved = yield* Effect.flatMap(Documents.Documents, (documents) =>
    documents.resolve(declared.map(({ policy }) => policy))
  ).pipe(Effect.provide(NodeDocuments.layer(root)))
  const reflections = yield* reflected
  const others = new Set(reflections.map(({ said }) => said.facet).toSorted())
  for (const { key } of declared) others.delete(key)
  const mine = (key: string) => reflections.filter(({ said }) => said.facet === key)
  return [
    ...declared.map((facet, index) =>
      facetJson(facet.key, facet, resolved[index] ?? "unreadable", mine(facet.key))
    ),
    ...Array.from(others, (key) => facetJson(key, null, "unreadable", mine(key)))
  ]
})

export const facets = Effect.flatMap(read, (found) => answerAll(found, (page) => lines(found, page)))
