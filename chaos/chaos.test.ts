// A short selection of the scenarios that `pnpm chaos` plays in full: real hosts, real files, real signals.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "./harness/Performance.ts"
import { scenarios } from "./scenarios/Scenarios.ts"

/** What is played here, and with how many kills. */
const selection: Readonly<Record<string, number>> = {
  "kill-points-function": 9,
  "kill-points-program": 9,
  "kill-points-bare": 5
}

describe("chaos", () => {
  for (const { name, play: act, promise, share } of scenarios) {
    const kills = selection[name]
    if (kills === undefined) continue
    it.live(
      `${promise} (${name})`,
      () =>
        Effect.gen(function* () {
          const outcome = yield* play({ name, play: act, promise, share }, { kills, seed: 1 })
          assert.deepStrictEqual(outcome.verdict, { _tag: "Kept" })
        }),
      120_000
    )
  }
})
