// Every rule of the fleet is held by a test that names it, and no test names a rule that isn't there.
import { describe, expect, it } from "vitest"
import { citations, citedIn } from "./rules/Citations.ts"
import { fleetRules } from "./rules/FleetRules.ts"

describe("the rules of the fleet", () => {
  it("are each held by a test that says so in its name", () => {
    const held = new Set(citations().map(({ rule }) => rule))
    const unheld = fleetRules.filter(({ number }) => !held.has(number)).map(({ number }) => `R${number}`)
    expect(unheld).toEqual([])
  })

  it("are numbered without a gap, each once, and no test names another", () => {
    const numbers = fleetRules.map(({ number }) => number)
    expect(numbers).toEqual(Array.from({ length: 36 }, (_, index) => index + 1))
    expect(citations().filter(({ rule }) => !numbers.includes(rule))).toEqual([])
  })

  it("are read from the ends of names alone", () => {
    const quoted = (name: string): string => `it("${name}", () => {})`
    expect(citedIn(quoted("is so (R8, R19)") + quoted("and so (law 2, R12)"))).toEqual([8, 12, 19])
    expect(citedIn(quoted("says (R3) in the middle"))).toEqual([])
    expect(citedIn("// a comment (R5)\nconst R6 = 1")).toEqual([])
  })
})
