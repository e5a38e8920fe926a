/**
 * Messages that nobody has taken: the newest are kept, all are counted, and only a host writes them.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "../../domain/Defaults.ts"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import { allRecords, enlist, refusesWhole, rowsOfKind, write } from "./StoreActs.ts"
import { messageRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

const counted = (driver: StoreDriver) => Effect.map(driver.tally({ now: start }), ({ messages }) => messages)

export const messages = ({ many, one }: StoreTests): void => {
  one("undeliverable messages are kept whole, in order, in pages; they belong to no job", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const rows = [
        messageRow({ message_id: "m1", envelope: `{"payload":"naïve ☃"}` }),
        messageRow({ message_id: "m1", reason: "mailbox_full" }),
        messageRow({ message_id: "m3", consumer_agent: "operator:ana", at: start - 5 })
      ]
      yield* host.commit({ undelivered: { count: 2, rows: rows.slice(0, 2) } })
      yield* host.commit({ undelivered: { count: 8, rows: rows.slice(2) } })
      assert.deepStrictEqual(yield* rowsOfKind(driver, "messages"), rows)
      assert.deepStrictEqual(
        yield* allRecords(driver, "messages", { limit: 1 }),
        yield* allRecords(driver, "messages")
      )
      assert.deepStrictEqual(yield* allRecords(driver, "messages", { job: 1 }), [])
      assert.strictEqual(yield* counted(driver), 10)
    })
  )

  one("of the undeliverable messages the newest stay, and all are counted", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const all = limits.deadMessages + 30
      for (let n = 0; n < all; n += 103)
        yield* host.commit({
          undelivered: {
            count: Math.min(103, all - n),
            rows: Array.from({ length: Math.min(103, all - n) }, (_, more) =>
              messageRow({ message_id: `m${n + more}` })
            )
          }
        })
      const kept = yield* rowsOfKind(driver, "messages")
      assert.lengthOf(kept, limits.deadMessages)
      assert.deepStrictEqual([kept[0]?.message_id, kept.at(-1)?.message_id], ["m30", `m${all - 1}`])
      assert.strictEqual(yield* counted(driver), all)
    })
  )

  one(
    "nobody but a host writes them, and none without a reason: then nothing of the unit happens",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const undelivered = { count: 1, rows: [messageRow()] }
        yield* refusesWhole(driver, "ORCH_STORE_BROKEN", write(driver, { undelivered }))
        const unsaid = { count: 1, rows: [messageRow(), messageRow({ reason: "" })] }
        yield* refusesWhole(driver, "ORCH_STORE_BROKEN", host.commit({ undelivered: unsaid }))
        assert.strictEqual(yield* counted(driver), 0)
      })
  )

  many("undeliverable messages are found again through another connection", (first, reopen) =>
    Effect.gen(function* () {
      const host = yield* enlist(first)
      yield* host.commit({ undelivered: { count: 1, rows: [messageRow()] } })
      const second = yield* reopen
      assert.deepStrictEqual(yield* rowsOfKind(second, "messages"), [messageRow()])
      assert.strictEqual(yield* counted(second), 1)
    })
  )
}
