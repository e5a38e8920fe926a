/**
 * `muster model show`: what core's model of the fleet declares, for people, for machines and for diagrams.
 */
import { fleetModel, ModelDiagram, ModelDocument } from "@muster/core/model"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { ModelJson } from "../json/ModelJson.ts"
import { answer, type Page } from "../output/Answer.ts"
import { type Column, table } from "../output/Table.ts"
import { wrap } from "../output/Text.ts"

type Seam = ModelJson["seams"][number]
type Facet = ModelJson["facets"][number]
type Invariant = ModelJson["invariants"][number]

const seams: ReadonlyArray<Column<Seam>> = [
  { title: "seam", value: ({ id }) => id },
  { title: "carrier", value: ({ carrier }) => carrier },
  { title: "from", value: ({ from }) => from },
  { title: "", value: ({ synchronous }) => (synchronous ? "->" : "~>") },
  { title: "to", value: ({ to }) => to },
  { title: "message", value: ({ message }) => message, shrinkTo: 12 }
]

const facets: ReadonlyArray<Column<Facet>> = [
  { title: "facet", value: ({ key }) => key },
  { title: "genre", value: ({ genre }) => genre },
  { title: "tempo", value: ({ tempo }) => tempo },
  { title: "status", value: ({ status }) => status },
  { title: "follow-ups", value: ({ follow_ups }) => follow_ups.join(", ") },
  { title: "silent while", value: ({ holds }) => holds, shrinkTo: 12 }
]

/** What holds, and under it what its tier follows from. */
const invariant = (one: Invariant, page: Page): ReadonlyArray<string> => {
  const { form, id, lanes, primitive, sentence, source, tier } = one
  return [
    `${id}  ${page.style.faint(`${form}  ${tier}`)}`,
    ...wrap(sentence, Math.max(20, page.width - 2)).map((line) => `  ${line}`),
    ...wrap(`${lanes.join(", ")}; ${primitive}; ${source}`, Math.max(20, page.width - 2)).map(
      (line) => `  ${page.style.faint(line)}`
    )
  ]
}

const people = (document: ModelJson, page: Page): ReadonlyArray<string> => [
  page.style.title("lanes"),
  ...table<ModelJson["lanes"][number]>(
    [
      { title: "lane", value: ({ id }) => id },
      { title: "what it does", value: ({ sentence }) => sentence, shrinkTo: 20 }
    ],
    document.lanes,
    page
  ),
  "",
  page.style.title("seams"),
  ...table(seams, document.seams, page),
  page.style.faint("-> waits for the answer, ~> doesn't"),
  "",
  page.style.title("machines"),
  ...document.machines.map(
    ({ edges, name, states }) =>
      `${name}: ${states.length} states, ${edges.length} moves (muster machine ${name})`
  ),
  "",
  page.style.title("facets"),
  ...table(facets, document.facets, page),
  "",
  page.style.title("invariants"),
  ...document.invariants.flatMap((one) => invariant(one, page))
]

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
