/**
 * Jobs that come back by another way than a due time alone: parked ones, and those whose landing is unknown (R27, R28).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ready } from "./Peek.ts"
import { claimed, enlist, rowOf, waiting, write } from "./StoreActs.ts"
import { changeRow, insertRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

export const parking = ({ one }: StoreTests): void => {
  one(
    "a job whose landing is unknown comes when it is due: its lander is asked by a new incarnation",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const row = yield* claimed(host, insertRow("a"))
        const unknown = { ...waiting(start + 5), standing: "landing_unknown" }
        yield* host.commit({ changes: [changeRow(row, unknown)] })
        assert.deepStrictEqual(yield* ready(driver), ["", start + 5])
        assert.deepStrictEqual(yield* ready(driver, { now: start + 5 }), ["a", null])
      })
  )

  one("a parked job stays away however due it is, and comes when its hold is gone (R28)", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const row = yield* claimed(host, insertRow("a"))
      yield* host.commit({ changes: [changeRow(row, { ...waiting(start + 5), hold: "{}" })] })
      for (const now of [start, start + 5, start + 1_000_000])
        assert.deepStrictEqual(yield* ready(driver, { now }), ["", null])
      assert.isNull((yield* driver.tally({ now: start + 9 })).oldest_ready)
      const page = { by: "page", state: "RETRY_SCHEDULED", workflow: null, after: 0, limit: 9 } as const
      assert.lengthOf((yield* driver.jobs(page)).rows, 1)
      yield* write(driver, { changes: [changeRow(yield* rowOf(driver, row.seq), { hold: null })] })
      assert.deepStrictEqual(yield* ready(driver), ["", start + 5])
      assert.deepStrictEqual(yield* ready(driver, { now: start + 5 }), ["a", null])
    })
  )
}
