/** A model as diagrams in mermaid's notation: who meets whom at which seam, and the machines. */
import * as Machine from "../domain/Machine.ts"
import type { Model } from "./Model.ts"

const quoted = (text: string): string => `"${text.replaceAll('"', "#quot;")}"`

/**
 * Lanes and seams as a flowchart. A whole arrow is synchronous, a dotted one is not; seams between the same lanes, of one carrier and one
 * manner, share an arrow.
 */
export const flowchart = <State, LaneId extends string>(model: Model<State, LaneId>): string => {
  const arrows = new Map<string, Array<string>>()
  for (const { carrier, from, id, synchronous, to } of model.seams) {
    const arrow = `${from} ${synchronous ? "-->" : "-.->"} ${to} ${carrier}`
    arrows.set(arrow, [...(arrows.get(arrow) ?? []), id])
  }
  return [
    "flowchart LR",
    ...model.lanes.map(({ id }) => `  ${id}[${quoted(id.replaceAll("_", " "))}]`),
    ...Array.from(arrows, ([arrow, ids]) => {
      const [from, line, to, carrier] = arrow.split(" ")
      return `  ${from} ${line}|${quoted(`${ids.join(", ")} (${carrier?.replaceAll("_", " ")})`)}| ${to}`
    }),
    ""
  ].join("\n")
}

/** The flowchart, and after it a state diagram for each machine. */
export const diagrams = <State, LaneId extends string>(
  model: Model<State, LaneId>
): ReadonlyArray<{ readonly title: string; readonly mermaid: string }> => [
  { title: model.name, mermaid: flowchart(model) },
  ...model.machines.map((machine) => ({ title: machine.name, mermaid: Machine.mermaid(machine) }))
]
