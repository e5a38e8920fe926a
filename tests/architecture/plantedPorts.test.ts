// The rules on contracts, on made-up files: they see a missing suite and an implementation that no test tries.
import { describe, expect, it } from "vitest"
import { everyImplementationRunsItsSuite, everyPortHasASuite } from "./PortRules.ts"
import { planted } from "./Tree.ts"

const suites = ["store", "runner", "workspaces", "gate", "lander", "observer", "facet", "plugin"]
const kit = Object.fromEntries(
  suites.map((name) => [
    `packages/core/src/testing/${name}.ts`,
    `export const ${name}Suite = (name: string) => name`
  ])
)
const gate = {
  "packages/core/src/ports/Gate.ts": "/** The gate contract: one clause. */\nexport interface Gate {}"
}
const shell = "packages/fleet/src/adapters/ShellGate.ts"

describe("the rules on contracts", () => {
  it("see nothing wrong when each contract has its suite", () => {
    expect(everyPortHasASuite.check(planted({ ...kit, ...gate }))).toEqual([])
  })

  it("see a contract without a suite", () => {
    const { "packages/core/src/testing/gate.ts": _, ...rest } = kit
    expect(everyPortHasASuite.check(planted({ ...rest, ...gate }))).toEqual(["Gate has no gateSuite"])
  })

  it("see a new contract that nobody has listed", () => {
    const judge = { "packages/core/src/ports/Judge.ts": "// The judge contract: decides." }
    expect(everyPortHasASuite.check(planted({ ...kit, ...judge }))).toEqual([
      "packages/core/src/ports/Judge.ts says that it is a contract: list it in PortRules.ts with its suite"
    ])
  })

  for (const implementation of [
    "export const shell: Gate = { name }",
    "export const shell = (command: string): Gate<never> => ({ name })",
    "export const shell = { name } satisfies Gate",
    "export function shell(): Effect.Effect<Gate, never> {}"
  ]) {
    it(`see that no test tries: ${implementation}`, () => {
      const tree = {
        ...kit,
        [shell]: implementation,
        "packages/fleet/test/a.test.ts": `runnerSuite("a", shell)`
      }
      expect(everyImplementationRunsItsSuite.check(planted(tree))).toEqual([
        `${shell}:1 shell is a Gate, and no test calls gateSuite on it`
      ])
    })

    it(`see the test that tries: ${implementation}`, () => {
      const test = `import * as Shell from "../src/adapters/ShellGate.ts"\ngateSuite("shell", Shell.make)`
      const tree = { ...kit, [shell]: implementation, "packages/fleet/test/a.test.ts": test }
      expect(everyImplementationRunsItsSuite.check(planted(tree))).toEqual([])
    })
  }

  it("leave a lookup and a list of gates alone", () => {
    const lookup = "export const find = (name: string): Gate | undefined => a\nexport const all: Gate[] = []"
    expect(everyImplementationRunsItsSuite.check(planted({ ...kit, [shell]: lookup }))).toEqual([])
  })
})
