// The rule on the catalogue, on made-up codes.
import { describe, expect, it } from "vitest"
import { catalogueProblems } from "./CodeRules.ts"

describe("the rule on the catalogue", () => {
  it("passes codes that have a row of their own or of a prefix", () => {
    expect(
      catalogueProblems(["ORCH_A", "EXT_B", "JobFailed"], ["ORCH_A", "EXT_B"], ["*", "EXT_*", "ORCH_A"])
    ).toEqual([])
  })

  it("sees codes without a row, without a place in the list, without a class", () => {
    expect(catalogueProblems(["ORCH_A", "EXT_B"], ["ORCH_A", "DQ_C"], ["*", "EXT_*", "LEGAL_D"])).toEqual([
      "EXT_B is missing in orchErrors",
      "DQ_C is in orchErrors without a class",
      "ORCH_A has no row in the catalogue",
      "the catalogue has a row for LEGAL_D, which no class defines"
    ])
  })
})
