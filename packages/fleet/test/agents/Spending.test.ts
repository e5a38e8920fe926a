// What all agents together have reported: each report replaces what the same life has said before.
import { assert, describe, it } from "@effect/vitest"
import { Spending } from "../../src/agents/Spending.ts"
import { Vitals } from "../../src/agents/Vitals.ts"

const usage = (inputTokens: number | null, outputTokens: number | null, cost: number | null) =>
  ({ _tag: "Usage", inputTokens, outputTokens, cost }) as const

describe("what agents spend", () => {
  it("is nothing known until one reports", () => {
    assert.deepStrictEqual(new Spending().all, { inputTokens: null, outputTokens: null, cost: null })
  })

  it("is the sum of the last reports of each life", () => {
    const spending = new Spending()
    const one = new Vitals(0, "work")
    const other = new Vitals(0, "work")
    const report = (vitals: Vitals, event: ReturnType<typeof usage>) => {
      spending.take(event, vitals)
      vitals.inputTokens = event.inputTokens ?? vitals.inputTokens
      vitals.outputTokens = event.outputTokens ?? vitals.outputTokens
      vitals.cost = event.cost ?? vitals.cost
    }
    report(one, usage(10, null, 1))
    report(one, usage(30, null, 2))
    report(other, usage(5, 7, null))
    report(other, usage(Number.NaN, null, null))
    assert.deepStrictEqual(spending.all, { inputTokens: 35, outputTokens: 7, cost: 2 })
  })
})
