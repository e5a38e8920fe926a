// The words of the tables, in sentences: no reason is without them, and no sentence is left over.
import { assert, describe, it } from "@effect/vitest"
import { AgentMachine, JobMachine } from "@muster/core"
import { reasonWords } from "../../src/explain/Reasons.ts"

describe("the words for reasons", () => {
  it("are there for every reason that a job or an agent may move by, and for no other", () => {
    const reasons = [JobMachine, AgentMachine].flatMap(({ creation, edges }) =>
      creation.reasons.concat(edges.flatMap((edge) => edge.reasons))
    )
    assert.deepStrictEqual(Object.keys(reasonWords).toSorted(), [...new Set(reasons)].toSorted())
  })
})
