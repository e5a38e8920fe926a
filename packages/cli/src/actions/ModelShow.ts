/**
 * `muster model show`: what core's model of the fleet declares, for people, for machines and for diagrams.
 */
import { fleetModel, ModelDiagram, ModelDocument } from "@muster/core/model"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { ModelJson } from "../json/ModelJson.ts"
import { answer, type Page } from "../output/Answer.ts"
import { wrap } from "../output/Text.ts"

/** A heading line and, indented under it, texts of any length. */
const entry = (page: Page, head: string, ...texts: ReadonlyArray<string>): ReadonlyArray<string> => [
  head,
  ...texts.flatMap((text) => wrap(text, Math.max(20, page.width - 2)).map((line) => `  ${line}`))
]

const lane = (page: Page, { id, sentence }: ModelJson["lanes"][number]): ReadonlyArray<string> =>
  entry(page, id, sentence)

const seam = (
  page: Page,
  { carried_by, carrier, from, id, message, synchronous, to }: ModelJson["seams"][number]
): ReadonlyArray<string> => {
  const way = `${from} ${synchronous ? "->" : "~>"} ${to}`
  return [
    ...entry(page, `${id}  ${way}  ${page.style.faint(carrier)}`, message),
    `  ${page.style.faint(carried_by)}`
  ]
}

/** Its size, what each state means, and the phases that a life goes through. */
const machine = (
  page: Page,
  { edges, meanings, name, phases, states }: ModelJson["machines"][number]
): ReadonlyArray<string> =>
  entry(
    page,
    `${name}: ${states.length} states, ${edges.length} moves (muster machine ${name})`,
    ...states.map((state) => `${state}: ${meanings[state] ?? ""}`),
    ...(phases.length === 0 ? [] : [`phases, in order: ${phases.map((phase) => phase.name).join(", ")}`])
  )

const facet = (
  page: Page,
  { follow_ups, genre, holds, key, policy, status, tempo }: ModelJson["facets"][number]
): ReadonlyArray<string> => [
  ...entry(page, `${key}  ${page.style.faint(`${genre}  ${tempo}  ${status}`)}`, holds),
  `  ${page.style.faint(`${policy.path}#${policy.anchor}; may ${follow_ups.join(", ").replaceAll("_", " ")}`)}`
]

/** What holds, and under it what its tier follows from. */
const invariant = (
  page: Page,
  { form, id, lanes, primitive, sentence, source, tier }: ModelJson["invariants"][number]
): ReadonlyArray<string> => [
  ...entry(page, `${id}  ${page.style.faint(`${form}  ${tier}`)}`, sentence),
  ...wrap(`${lanes.join(", ")}; ${primitive}; ${source}`, Math.max(20, page.width - 2)).map(
    (line) => `  ${page.style.faint(line)}`
  )
]

const people = (document: ModelJson, page: Page): ReadonlyArray<string> => {
  const { style } = page
  return [
    style.title("lanes"),
    ...document.lanes.flatMap((one) => lane(page, one)),
    "",
    `${style.title("seams")}  ${style.faint("-> waits for the answer, ~> doesn't")}`,
    ...document.seams.flatMap((one) => seam(page, one)),
    "",
    style.title("machines"),
    ...document.machines.flatMap((one) => machine(page, one)),
    "",
    style.title("facets"),
    ...document.facets.flatMap((one) => facet(page, one)),
    "",
    style.title("invariants"),
    ...document.invariants.flatMap((one) => invariant(page, one))
  ]
}

export const modelShow = Effect.fnUntraced(function* ({ mermaid }: { readonly mermaid: boolean }) {
  if (mermaid)
    return yield* Console.log(
      ModelDiagram.diagrams(fleetModel)
        .map((diagram) => diagram.mermaid.trimEnd())
        .join("\n\n")
    )
  const document: ModelJson = ModelDocument.document(fleetModel)
  return yield* answer(document, (page) => people(document, page))
})
