import type { Model } from "./Model.ts"
/** A model as Markdown to read: its diagram, and a table for each kind of thing that is declared. */
import { flowchart } from "./ModelDiagram.ts"
import { primitives } from "./Primitive.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

const table = (
  titles: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => [
  `| ${titles.join(" | ")} |`,
  `|${titles.map(() => " --- |").join("")}`,
  ...rows.map((row) => `| ${row.map(cell).join(" | ")} |`)
]

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  `## ${title}`,
  "",
  ...lines,
  ""
]

const facetSection = <State, LaneId extends string>({
  facets
}: Model<State, LaneId>): ReadonlyArray<string> =>
  facets.length === 0
    ? []
    : section(
        "Facets",
        table(
          ["facet", "what holds", "genre", "status", "tempo", "policy", "follow-ups"],
          facets.map(({ followUps, genre, holds, key, policy, status, tempo }) => [
            key,
            holds,
            genre,
            status,
            tempo,
            `${policy.path}#${policy.anchor}`,
            followUps.join(", ")
          ])
        )
      )

/** The sections of the model, each with a heading of the second level; without a title of its own. */
export const markdown = <State, LaneId extends string>(model: Model<State, LaneId>): string =>
  [
    ...section(
      "Lanes",
      table(
        ["lane", "what it does"],
        model.lanes.map(({ id, sentence }) => [id, sentence])
      )
    ),
    ...section("Seams", [
      "```mermaid",
      flowchart(model).trimEnd(),
      "```",
      "",
      ...table(
        ["seam", "carrier", "from", "to", "message", "synchronous", "carried by"],
        model.seams.map(({ carriedBy, carrier, from, id, message, synchronous, to }) => [
          id,
          carrier,
          from,
          to,
          message,
          synchronous ? "yes" : "no",
          carriedBy
        ])
      )
    ]),
    ...section(
      "Invariants",
      table(
        ["invariant", "form", "tier", "lanes", "primitive", "what holds", "source"],
        model.invariants.map(({ id, lanes, primitive, sentence, source, temporal, tier }) => [
          id,
          `\`${temporal.form}\``,
          tier,
          lanes.join(", "),
          primitive,
          sentence,
          source
        ])
      )
    ),
    ...section(
      "Primitives",
      table(
        ["primitive", "race-shaped", "what it is"],
        Object.entries(primitives).map(([name, { race, sentence }]) => [name, race ? "yes" : "no", sentence])
      )
    ),
    ...facetSection(model)
  ]
    .join("\n")
    .trimEnd()
    .concat("\n")
