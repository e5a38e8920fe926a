import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { draw } from "../src/domain/Draw.ts"

describe("draw", () => {
  it.prop(
    "is in [0, 1) and the same for the same inputs",
    [Schema.Int, Schema.Int, Schema.Int],
    ([a, b, c]) => {
      const number = draw(a, b, c)
      return number >= 0 && number < 1 && number === draw(a, b, c)
    }
  )

  it("spreads evenly over neighbouring jobs and attempts", () => {
    const buckets = Array.from({ length: 20 }, () => 0)
    for (let job = 1; job <= 10_000; job++) {
      for (let attempt = 0; attempt < 4; attempt++) {
        const bucket = Math.floor(draw(7, job, attempt) * 20)
        buckets[bucket] = (buckets[bucket] ?? 0) + 1
      }
    }
    for (const count of buckets) assert.isTrue(count > 1_850 && count < 2_150, buckets.join(" "))
  })

  it("doesn't repeat itself, whichever of its inputs moves, also beyond 32 bits", () => {
    const seen = new Set<number>()
    for (let i = 0; i < 10_000; i++) {
      seen
        .add(draw(i, 1, 1))
        .add(draw(1, i + 2, 1))
        .add(draw(1, 1, i + 2))
        .add(draw(1, 2 ** 32 * (i + 1) + 1, 1))
    }
    assert.isAbove(seen.size, 39_990)
  })

  it("is never correlated between one attempt and the next", () => {
    let sum = 0
    for (let job = 0; job < 20_000; job++) sum += (draw(3, job, 0) - 0.5) * (draw(3, job, 1) - 0.5)
    assert.isBelow(Math.abs((sum / 20_000) * 12), 0.03)
  })
})
