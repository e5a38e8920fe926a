// The house rules, held over every file of the repository and over the vocabulary that core exports. tests/architecture/ has the
// rules, and a planted violation of each.
import { AgentMachine, defaultRows, JobMachine, LoopMachine, orchErrors, subjectKinds } from "@muster/core"
import * as core from "@muster/core"
import { describe, expect, it } from "vitest"
import { catalogueProblems, codeClasses } from "./architecture/CodeRules.ts"
import { tableProblems, tablesOf, useProblems } from "./architecture/MachineRules.ts"
import { report } from "./architecture/Rule.ts"
import { rules } from "./architecture/rules.ts"
import { fromDisk } from "./architecture/Tree.ts"

const tree = fromDisk()

describe("the architecture", () => {
  for (const rule of rules) {
    it(rule.name, () => {
      const violations = rule.check(tree)
      expect(violations, report(rule, violations)).toEqual([])
    })
  }
})

describe("the tables", () => {
  const tables = tablesOf(core)
  /** The loop's moves stay in memory and metrics, so they are the events of no subject (R13). */
  const kinds = [...subjectKinds, LoopMachine.name]

  it("are those of the job, the agent and the loop at least", () => {
    expect(tables).toEqual(expect.arrayContaining([JobMachine, AgentMachine, LoopMachine]))
  })

  for (const table of tables) {
    it(`${table.name}: every state is reachable and ends in a final one, and every move has its reasons`, () => {
      expect(tableProblems(table)).toEqual([])
    })

    it(`${table.name}: every event and reason is used outside its table, and has its lifecycle event`, () => {
      expect(useProblems(table, tree, kinds)).toEqual([])
    })
  }
})

describe("the codes", () => {
  it("are in the catalogue, each by itself or by a prefix, and the catalogue has no dead code", () => {
    const defined = codeClasses(tree).map(({ code }) => code)
    const rows = defaultRows.map(({ code }) => code)
    expect(catalogueProblems(defined, Object.keys(orchErrors), rows)).toEqual([])
  })
})
