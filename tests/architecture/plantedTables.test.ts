// The rules on tables, on made-up ones: each dishonesty is seen, and an honest table passes.
import { describe, expect, it } from "vitest"
import { type Table, tableProblems, tablesOf, useProblems } from "./MachineRules.ts"
import { planted } from "./Tree.ts"

const door: Table = {
  name: "door",
  initial: "open",
  states: ["open", "closed", "bricked"],
  final: ["bricked"],
  creation: { event: "hang", reasons: ["new"] },
  edges: [
    { from: "open", event: "close", to: "closed", reasons: ["draught"] },
    { from: "closed", event: "open", to: "open", reasons: ["visitor"] },
    { from: "closed", event: "brick", to: "bricked", reasons: ["war"] }
  ]
}
const edge = (from: string, event: string, to: string, reasons = ["why"]) => ({ from, event, to, reasons })
const withEdges = (...edges: Table["edges"]): Table => ({ ...door, edges: [...door.edges, ...edges] })

const dishonest: ReadonlyArray<readonly [Table, ReadonlyArray<string>]> = [
  [
    { ...door, states: [...door.states, "ajar"] },
    ["ajar can't be reached", "nothing leads from ajar to a final state"]
  ],
  [
    { ...door, final: [] },
    ["no state is final", ...door.states.map((state) => `nothing leads from ${state} to a final state`)]
  ],
  [withEdges(edge("open", "burn", "ashes")), ["ashes is no declared state"]],
  [withEdges(edge("bricked", "blast", "open")), ["blast leaves bricked, a final state"]],
  [withEdges(edge("open", "close", "bricked")), ["close from open has two edges"]],
  [withEdges(edge("open", "slam", "closed", [])), ["slam has no reason"]],
  [withEdges(edge("open", "slam", "closed", ["wind", "wind"])), ["slam has the reason wind twice"]],
  [{ ...door, states: [...door.states, "open"] }, ["open is declared twice"]]
]

const says = (...texts: ReadonlyArray<string>) =>
  planted({ "packages/core/src/domain/Decide.ts": `export const said = ${JSON.stringify(texts)}` })
const everything = ["close", "open", "brick", "new", "draught", "visitor", "war"]

describe("the rules on tables", () => {
  it("pass an honest table", () => {
    expect(tableProblems(door)).toEqual([])
    expect(useProblems(door, says(...everything), ["door"])).toEqual([])
  })

  it.each(dishonest)("see what is wrong with table %#", (table, problems) => {
    expect(tableProblems(table)).toEqual(problems)
  })

  it("see an event and a reason that no code says", () => {
    const tree = says(...everything.filter((text) => text !== "brick" && text !== "draught"))
    expect(useProblems(door, tree, ["door"])).toEqual([
      "no code says the event brick",
      "no code gives the reason draught"
    ])
  })

  it("see a table whose events can't be written", () => {
    expect(useProblems(door, says(...everything), ["window"])).toEqual([
      "door is no kind of subject: its events can't be written"
    ])
  })

  it("find tables among exports and in namespaces", () => {
    expect(tablesOf({ door, Namespace: { door, other: 1 }, text: "a", nothing: null })).toEqual([door])
  })
})
