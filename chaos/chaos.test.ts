// A short selection of the scenarios that `pnpm chaos` plays in full: real hosts, real files, real signals.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "./harness/Performance.ts"
import { scenarios } from "./scenarios/Scenarios.ts"

/** What is played here, and with how many kills. */
const selection: Readonly<Record<string, number>> = {
  "kill-points-function": 5,
  "kill-points-program": 5,
  "kill-points-bare": 3,
  "once-steps-program": 4,
  "two-hosts": 1,
  "stopped-at-work": 0,
  "locked-store": 0
}

describe("chaos", () => {
  for (const scenario of scenarios) {
    const kills = selection[scenario.name]
    if (kills === undefined) continue
    it.live(
      `${scenario.promise} (${scenario.name})`,
      () =>
        Effect.gen(function* () {
          const { verdict } = yield* play(scenario, { kills, seed: 1 })
          assert.deepStrictEqual(verdict, { _tag: "Kept" })
        }),
      120_000
    )
  }
})
