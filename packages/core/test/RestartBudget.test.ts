import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { defaults } from "../src/domain/Defaults.ts"
import { record } from "../src/domain/RestartBudget.ts"

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Gaps = Schema.Array(int(0, 50)).check(Schema.isMaxLength(60))
const Policy = Schema.Struct({ restarts: int(0, 8), windowMillis: int(1, 200) })

describe("RestartBudget", () => {
  it.prop(
    "is spent exactly when more than `restarts` lie within one window",
    [Gaps, Policy],
    ([gaps, policy]) => {
      const all: Array<number> = []
      let window: ReadonlyArray<number> = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        all.push(now)
        const within = all.filter((at) => at > now - policy.windowMillis).length
        const answer = record(window, now, policy)
        if (answer.exhausted !== within > policy.restarts) return false
        if (answer.window.length > policy.restarts + 1) return false
        if (answer.window.some((at, index) => at < (answer.window[index - 1] ?? 0))) return false
        window = answer.window
      }
      return true
    }
  )

  it("allows five in ten minutes by default, and forgives what has left the window", () => {
    let window: ReadonlyArray<number> = []
    for (let minute = 0; minute < 5; minute++) {
      const answer = record(window, minute * 60_000, defaults.restartBudget)
      assert.isFalse(answer.exhausted)
      window = answer.window
    }
    assert.isTrue(record(window, 5 * 60_000, defaults.restartBudget).exhausted)
    assert.isFalse(record(window, 10 * 60_000, defaults.restartBudget).exhausted)
  })

  it("forgives nothing when the clock is set back", () => {
    const answer = record([900, 950], 100, { restarts: 2, windowMillis: 50 })
    assert.deepStrictEqual(answer, { window: [100, 900, 950], exhausted: true })
  })
})
