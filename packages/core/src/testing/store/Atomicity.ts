/**
 * All or nothing: for units that are refused at their last row, units that are interrupted, and readers beside a writer (R8).
 */
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import { allEvents, allJobs, claimed, enlist, look, refusesWhole, submit, write } from "./StoreActs.ts"
import {
  breakerRow,
  changeRow,
  eventRow,
  insertRow,
  intentRow,
  letterRow,
  markerRow,
  retryRow,
  unitOf
} from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

const batch = (n: number, size: number) =>
  Array.from({ length: size }, (_, place) => insertRow(`unit ${n}, job ${place}`))

export const atomicity = ({ one, two }: StoreTests): void => {
  one("a bad last event refuses everything before it", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const row = yield* claimed(host, insertRow("a"))
      yield* host.commit({ intents: [intentRow()] })
      const bad = eventRow({ actor: "" })
      const rest = {
        inserts: [insertRow("b"), insertRow("c")],
        notes: [{ ...eventRow(), job: null }],
        intents: [intentRow({ request_id: "r" })],
        settled: [{ intent: 1, outcome: "paused" }],
        bank: "{}",
        breakers: [breakerRow()]
      }
      const change = changeRow(
        row,
        { retry_count: 1 },
        { retry: retryRow(), letter: letterRow(), markers: [markerRow("m")], result: "1" }
      )
      for (const unit of [
        { ...rest, changes: [change], notes: [...rest.notes, { ...bad, job: row.seq }] },
        { ...rest, changes: [{ ...change, events: [...change.events, bad] }] },
        { ...rest, changes: [change], inserts: [...rest.inserts, insertRow("d", { events: [bad] })] }
      ])
        yield* refusesWhole(driver, "ORCH_STORE_BROKEN", host.commit(unit))
      const { sequence } = yield* host.commit({ ...rest, changes: [change] })
      assert.lengthOf(yield* allEvents(driver), sequence)
    })
  )

  one("of many commits with one turn exactly one happens", (driver) =>
    Effect.gen(function* () {
      const { epoch, host } = (yield* enlist(driver)).row
      const commit = (n: number) =>
        driver.commit(unitOf({ fence: { host, epoch, turn: 1 }, inserts: [insertRow(`${n}`)] }))
      const twenty = Array.from({ length: 20 }, (_, n) => n)
      const exits = yield* Effect.forEach(twenty, (n) => Effect.exit(commit(n)), { concurrency: "unbounded" })
      assert.lengthOf(
        exits.filter(({ _tag }) => _tag === "Success"),
        1
      )
      assert.lengthOf(yield* allJobs(driver), 1)
      assert.strictEqual((yield* driver.renew({ host, epoch, at: 1 })).turn, 1)
    })
  )

  one("an interrupted commit happens whole or not at all, and the store goes on", (driver) =>
    Effect.gen(function* () {
      for (let n = 0; n < 10; n++) {
        const before = (yield* allJobs(driver)).length
        const fiber = yield* Effect.forkChild(write(driver, { inserts: batch(n, 100) }), {
          startImmediately: true
        })
        for (let turns = 0; turns < n; turns++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const after = (yield* allJobs(driver)).length
        assert.include([before, before + 100], after)
        assert.lengthOf(yield* allEvents(driver), after)
        assert.lengthOf(new Set(yield* submit(driver, ...batch(n, 100))), 100)
        assert.lengthOf(yield* allJobs(driver), before + 100)
      }
    })
  )

  const readers = Effect.fnUntraced(function* (writer: StoreDriver, reader: StoreDriver) {
    const writing = yield* Effect.forkChild(
      Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) => Effect.andThen(write(writer, { inserts: batch(n, 20) }), Effect.yieldNow),
        { discard: true }
      )
    )
    let seen = 0
    while (seen < 400) {
      const rows = yield* reader.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 1000 })
      const { jobs, sequence } = yield* reader.tally({ now: 0 })
      const count = jobs.reduce((sum, each) => sum + each.count, 0)
      for (const number of [rows.rows.length, sequence, count]) assert.strictEqual(number % 20, 0)
      assert.strictEqual(count, sequence)
      assert.isAtLeast(count, rows.rows.length)
      seen = count
      yield* Effect.yieldNow
    }
    yield* Fiber.join(writing)
    assert.deepStrictEqual(yield* look(reader), yield* look(writer))
  })

  one("a reader beside a writer never sees half a unit", (driver) => readers(driver, driver))
  two("a reader on another connection never sees half a unit", readers)
}
