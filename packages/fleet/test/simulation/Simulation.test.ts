// A selection of seeds for every run of the tests; `pnpm simulate` runs as many as one likes.
import { assert, describe, it } from "@effect/vitest"
import { simulate } from "@muster/fleet/testing"
import { Effect } from "effect"

describe("a simulated fleet", () => {
  it.live(
    "keeps its promises from seed to seed: stores that fail, hosts that die, freeze and lose their clock, agents of every kind",
    () =>
      Effect.gen(function* () {
        const report = yield* simulate({ seed: 1, runs: 300 })
        assert.deepStrictEqual(
          report.failed.map(({ story }) => story),
          []
        )
        assert.strictEqual(report.runs, 300)
        assert.isAbove(report.jobs, 1_000)
      }),
    120_000
  )
})
