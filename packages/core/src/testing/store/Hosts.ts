/**
 * Hosts: epochs, beats and turns (R10, R19, R20).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { HostRow } from "../../ports/StoreRows.ts"
import { allRecords, claim, enlist, look, refuses, refusesWhole, rowOf, submitOne } from "./StoreActs.ts"
import { eventRow, insertRow, start, unitOf } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

export const hosts = ({ one, two }: StoreTests): void => {
  one("the store has a short id of its own and a name, the same each time", (driver) =>
    Effect.gen(function* () {
      const { id, name } = yield* driver.open
      assert.match(id, /^[a-z0-9]{6}$/)
      assert.isNotEmpty(name)
      assert.deepStrictEqual(yield* driver.open, { id, name })
    })
  )

  one("each enlisting makes a new living host with a larger epoch, at turn 0", (driver) =>
    Effect.gen(function* () {
      const rows: Array<HostRow> = []
      for (const n of [1, 2, 3, 4]) {
        const row = yield* driver.enlist({ identity: `{"pid":1}`, at: start + n })
        assert.deepInclude(row, {
          turn: 0,
          state: "live",
          identity: `{"pid":1}`,
          enlisted_at: start + n,
          beat_at: start + n
        })
        if (n === 2)
          yield* driver.fence({ host: row.host, epoch: row.epoch, beat: null, as: "stopped", at: start })
        rows.push(row)
      }
      assert.strictEqual(new Set(rows.map(({ host }) => host)).size, 4)
      for (const [n, row] of rows.entries()) assert.isAbove(row.epoch, rows[n - 1]?.epoch ?? 0)
      const records = yield* allRecords(driver, "hosts")
      assert.deepStrictEqual(
        records.map(({ row }) => [row.host, row.state]),
        rows.map(({ host }, n) => [host, n === 1 ? "stopped" : "live"])
      )
    })
  )

  one(
    "renewing raises the beat by one, keeps the rest, and is refused to an epoch that isn't alive",
    (driver) =>
      Effect.gen(function* () {
        const { row } = yield* enlist(driver)
        const { epoch, host } = row
        const first = yield* driver.renew({ host, epoch, at: start + 7 })
        assert.deepStrictEqual(first, { ...row, beat: row.beat + 1, beat_at: start + 7 })
        const second = yield* driver.renew({ host, epoch, at: start + 9 })
        assert.deepStrictEqual(second, { ...row, beat: row.beat + 2, beat_at: start + 9 })
        assert.deepStrictEqual(
          (yield* allRecords(driver, "hosts")).map((record) => record.row),
          [second]
        )
        yield* refusesWhole(driver, "ORCH_HOST_FENCED", driver.renew({ host, epoch: epoch + 1, at: start }))
        yield* refusesWhole(driver, "ORCH_HOST_FENCED", driver.renew({ host: host + 1, epoch, at: start }))
        yield* driver.fence({ host, epoch, beat: null, as: "fenced", at: start })
        yield* refusesWhole(driver, "ORCH_HOST_FENCED", driver.renew({ host, epoch, at: start }))
      })
  )

  one(
    "a takeover whose beat has changed does nothing; one with the present beat succeeds, once (R19)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const named = { host: host.row.host, epoch: host.row.epoch, as: "fenced", at: start } as const
        const { beat } = yield* driver.renew({ ...named })
        const before = yield* look(driver)
        assert.isFalse(yield* driver.fence({ ...named, beat: beat - 1 }))
        assert.isFalse(yield* driver.fence({ ...named, beat: beat + 1 }))
        assert.isFalse(yield* driver.fence({ ...named, epoch: named.epoch + 1, beat }))
        assert.isFalse(yield* driver.fence({ ...named, host: named.host + 1, beat }))
        assert.deepStrictEqual(yield* look(driver), before)
        yield* host.commit({ inserts: [insertRow("a")] })
        assert.isTrue(yield* driver.fence({ ...named, beat }))
        assert.isFalse(yield* driver.fence({ ...named, beat }))
        assert.isFalse(yield* driver.fence({ ...named, beat: null, as: "stopped" }))
        const [record] = yield* allRecords(driver, "hosts")
        assert.strictEqual(record?.row.state, "fenced")
        yield* refusesWhole(driver, "ORCH_HOST_FENCED", host.commit({ inserts: [insertRow("b")] }))
      })
  )

  one("after a graceful stop no commit under the epoch succeeds, and other hosts go on (R20)", (driver) =>
    Effect.gen(function* () {
      const [stopping, staying] = [yield* enlist(driver), yield* enlist(driver)]
      const { epoch, host } = stopping.row
      yield* stopping.commit({ inserts: [insertRow("a")] })
      assert.isTrue(yield* driver.fence({ host, epoch, beat: null, as: "stopped", at: start }))
      yield* refusesWhole(driver, "ORCH_HOST_FENCED", stopping.commit({}))
      yield* refusesWhole(driver, "ORCH_HOST_FENCED", stopping.commit({ inserts: [insertRow("b")] }))
      yield* staying.commit({ inserts: [insertRow("c")] })
      const states = (yield* allRecords(driver, "hosts")).map(({ row }) => row.state)
      assert.deepStrictEqual(states, ["stopped", "live"])
    })
  )

  one(
    "a repeated or skipped turn, another host's epoch and an unknown host are refused whole (R10)",
    (driver) =>
      Effect.gen(function* () {
        const [a, b] = [(yield* enlist(driver)).row, (yield* enlist(driver)).row]
        const commit = (fence: { readonly host: number; readonly epoch: number; readonly turn: number }) =>
          driver.commit(unitOf({ fence, notes: [{ ...eventRow(), job: null }] }))
        yield* commit({ host: a.host, epoch: a.epoch, turn: 1 })
        yield* commit({ host: a.host, epoch: a.epoch, turn: 2 })
        yield* commit({ host: b.host, epoch: b.epoch, turn: 1 })
        for (const fence of [
          { host: a.host, epoch: a.epoch, turn: 2 },
          { host: a.host, epoch: a.epoch, turn: 1 },
          { host: a.host, epoch: a.epoch, turn: 4 },
          { host: a.host, epoch: a.epoch, turn: 0 },
          { host: a.host, epoch: b.epoch, turn: 3 },
          { host: b.host, epoch: a.epoch, turn: 2 },
          { host: 99, epoch: a.epoch, turn: 1 }
        ])
          yield* refusesWhole(driver, "ORCH_HOST_FENCED", commit(fence))
        yield* commit({ host: a.host, epoch: a.epoch, turn: 3 })
      })
  )

  one("after an uncertain answer, renewing tells whether the turn happened (R10)", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const { epoch, host: number } = host.row
      const renew = driver.renew({ host: number, epoch, at: start })
      assert.strictEqual((yield* renew).turn, 0)
      const row = yield* submitOne(driver, insertRow("a"))
      const unit = unitOf({ fence: { host: number, epoch, turn: 1 }, changes: [claim(row, host)] })
      yield* Effect.ignore(driver.commit(unit)) // the answer is lost on its way
      assert.strictEqual((yield* renew).turn, 1)
      yield* refuses("ORCH_HOST_FENCED", driver.commit(unit))
      assert.strictEqual((yield* rowOf(driver, row.seq)).version, 2)
      const refused = unitOf({
        fence: { host: number, epoch, turn: 2 },
        notes: [{ ...eventRow({ actor: "" }), job: null }]
      })
      yield* refuses("ORCH_STORE_BROKEN", driver.commit(refused))
      assert.strictEqual((yield* renew).turn, 1)
    })
  )

  two("hosts that enlist at once on two connections get numbers and epochs of their own", (first, second) =>
    Effect.gen(function* () {
      const twenty = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? first : second))
      const rows = yield* Effect.forEach(twenty, (driver) => driver.enlist({ identity: "{}", at: start }), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(rows.map(({ host }) => host)).size, 20)
      assert.strictEqual(new Set(rows.map(({ epoch }) => epoch)).size, 20)
    })
  )

  two("of many takeovers over two connections exactly one succeeds", (first, second) =>
    Effect.gen(function* () {
      const { epoch, host, beat } = (yield* enlist(first)).row
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? first : second).fence({ host, epoch, beat, as: "fenced", at: start })
        ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        answers.filter((ended) => ended),
        1
      )
    })
  )

  two(
    "a host fenced through one connection can't commit through the other; epochs are the store's",
    (first, second) =>
      Effect.gen(function* () {
        const host = yield* enlist(first)
        const other = yield* enlist(second)
        assert.isAbove(other.row.epoch, host.row.epoch)
        yield* second.fence({
          host: host.row.host,
          epoch: host.row.epoch,
          beat: null,
          as: "fenced",
          at: start
        })
        yield* refusesWhole(first, "ORCH_HOST_FENCED", host.commit({ inserts: [insertRow("a")] }))
      })
  )
}
