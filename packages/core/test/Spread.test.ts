import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { allowance } from "../src/domain/Spread.ts"

const policy = { slots: 4, windowMillis: 2_000 }

describe("starts after a pause", () => {
  it("come one by one in even steps, the first at once (R22)", () => {
    assert.deepStrictEqual(allowance({ from: 1_000, started: 0 }, 1_000, policy), {
      starts: 1,
      nextAt: 1_000
    })
    assert.deepStrictEqual(allowance({ from: 1_000, started: 1 }, 1_000, policy), {
      starts: 0,
      nextAt: 1_500
    })
    assert.strictEqual(allowance({ from: 1_000, started: 1 }, 1_499, policy)?.starts, 0)
    assert.strictEqual(allowance({ from: 1_000, started: 1 }, 1_500, policy)?.starts, 1)
    assert.strictEqual(allowance({ from: 1_000, started: 1 }, 2_700, policy)?.starts, 3)
  })

  it("are free again once each slot has started once, and after the window in any case", () => {
    assert.isNull(allowance({ from: 0, started: 4 }, 1_500, policy))
    assert.isNull(allowance({ from: 0, started: 0 }, 2_000, policy))
  })

  it("are not held back by a clock that was set back", () => {
    assert.isNull(allowance({ from: 5_000, started: 0 }, 1_000, policy))
  })

  const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

  it.prop(
    "never exceed a step's share at any instant, and the next one may start exactly when it says",
    [int(1, 50), int(1, 5_000), int(0, 60), int(0, 6_000)],
    ([slots, windowMillis, started, at]) => {
      const found = allowance({ from: 0, started }, at, { slots, windowMillis })
      if (found === null) return started >= slots || at >= windowMillis
      if (found.starts > 0) return started + found.starts <= (at * slots) / windowMillis + 1
      const then = allowance({ from: 0, started }, found.nextAt, { slots, windowMillis })
      return found.nextAt > at && (then === null || then.starts >= 1)
    }
  )
})
