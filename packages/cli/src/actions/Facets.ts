/**
 * `muster facets`: the declared facets, whether their policies are there, and what was written of them in the store.
 */
import { builtInFacets, Outcome } from "@muster/core"
import { Documents, NodeDocuments } from "@muster/fleet"
import * as Effect from "effect/Effect"
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

const read = Effect.gen(function* () {
  const documents = yield* Documents.Documents
  const resolved = yield* documents.resolve(builtInFacets.map(({ policy }) => policy))
  const reflections = yield* reflected
  const declared = new Map(builtInFacets.map((facet, index) => [facet.key, { facet, index }]))
  const keys = new Set([...declared.keys(), ...reflections.map((one) => one.said.facet).toSorted()])
  return Array.from(keys, (key) => {
    const known = declared.get(key)
    const mine = reflections.filter((one) => one.said.facet === key)
    return facetJson(key, known?.facet ?? null, resolved[known?.index ?? -1] ?? "unreadable", mine)
  })
})

export const facets = Effect.flatMap(read, (found) => answerAll(found, (page) => lines(found, page))).pipe(
  Effect.provide(NodeDocuments.layer())
)
