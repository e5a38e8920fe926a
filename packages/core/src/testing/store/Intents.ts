/**
 * What operators want: kept until it is settled, once, whoever repeats the request (R24).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { IntentDraftRow } from "../../ports/StoreRows.ts"
import { allRecords, enlist, rowsOfKind, submit, write } from "./StoreActs.ts"
import { insertRow, intentRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

export const intents = ({ one }: StoreTests): void => {
  one("an intent is kept whole, open until it is settled, and settled once", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const [job] = yield* submit(driver, insertRow("a"))
      const drafts: ReadonlyArray<IntentDraftRow> = [
        intentRow({ kind: "cancel", job: job ?? 0, request_id: "r1", requested_at: start + 4 }),
        intentRow({ kind: "scale", host: host.row.host, value: `{"slots":4}` }),
        intentRow()
      ]
      const { intents } = yield* write(driver, { intents: drafts })
      const open = drafts.map((draft, n) => ({
        ...draft,
        intent: intents[n] ?? 0,
        settled_at: null,
        outcome: null
      }))
      assert.deepStrictEqual(yield* rowsOfKind(driver, "intents"), open)
      assert.deepStrictEqual(yield* rowsOfKind(driver, "intents", { job: job ?? 0 }), open.slice(0, 1))
      const second = intents[1] ?? 0
      yield* host.commit({ at: start + 50, settled: [{ intent: second, outcome: "scaled" }] })
      yield* host.commit({
        at: start + 60,
        settled: [
          { intent: second, outcome: "again" },
          { intent: 99, outcome: "?" }
        ]
      })
      const settled = open.map((row, n) =>
        n === 1 ? { ...row, settled_at: start + 50, outcome: "scaled" } : row
      )
      assert.deepStrictEqual(yield* rowsOfKind(driver, "intents"), settled)
      assert.deepStrictEqual(
        yield* rowsOfKind(driver, "intents", { open: true }),
        settled.filter((_, n) => n !== 1)
      )
      assert.deepStrictEqual(yield* rowsOfKind(driver, "intents", { open: false }), settled)
      const page = yield* driver.records({
        kind: "intents",
        job: null,
        after: intents[0] ?? 0,
        limit: 1,
        open: true
      })
      assert.deepStrictEqual(
        page.map(({ cursor, job: of }) => [cursor, of]),
        [[intents[2], null]]
      )
    })
  )

  one("a request that thirty callers repeat at once is one intent", (driver) =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 30 }, () => write(driver, { intents: [intentRow({ request_id: "r" })] })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(new Set(answers.flatMap(({ intents }) => intents)), 1)
      assert.lengthOf(yield* allRecords(driver, "intents"), 1)
    })
  )
}
