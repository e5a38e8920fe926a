/**
 * Owning: who may move a row, and who loses a race for it (R6, R8, R9).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  allRecords,
  claim,
  claimed,
  enlist,
  heldBy,
  look,
  refusesWhole,
  rowOf,
  rowsOf,
  submit,
  submitOne,
  waiting,
  write
} from "./StoreActs.ts"
import { changeRow, eventRow, insertRow, letterRow, markerRow, retryRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

export const ownership = ({ one, two }: StoreTests): void => {
  one("an epoch that is over alone refuses the whole unit, though every version fits (R8)", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const mine = yield* claimed(host, insertRow("a"))
      const free = yield* submitOne(driver, insertRow("b"))
      const { epoch, host: number } = host.row
      assert.isTrue(yield* driver.fence({ host: number, epoch, beat: null, as: "fenced", at: start }))
      for (const changes of [[changeRow(mine, { retry_count: 1 })], [claim(free, host)], []])
        yield* refusesWhole(driver, "ORCH_HOST_FENCED", host.commit({ changes, inserts: [insertRow("c")] }))
    })
  )

  one("a living host's row is refused to another host, though its version fits (R6)", (driver) =>
    Effect.gen(function* () {
      const [owner, thief] = [yield* enlist(driver), yield* enlist(driver)]
      const row = yield* claimed(owner, insertRow("a"))
      yield* refusesWhole(
        driver,
        "ORCH_STORE_STALE",
        thief.commit({ changes: [changeRow(row, heldBy(thief))] })
      )
      const { lost } = yield* thief.commit({ changes: [changeRow(row, heldBy(thief), { contested: true })] })
      assert.deepStrictEqual(lost, [row.seq])
      assert.deepStrictEqual(yield* rowOf(driver, row.seq), row)
    })
  )

  one(
    "a commit without a fence moves an unowned job, and is refused an owned one until its host's epoch is over (R16)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const free = yield* submitOne(driver, insertRow("a"))
        yield* write(driver, { changes: [changeRow(free, { state: "CANCELLED" })] })
        assert.strictEqual((yield* rowOf(driver, free.seq)).state, "CANCELLED")

        const held = yield* claimed(host, insertRow("b"))
        const cancel = write(driver, { changes: [changeRow(held, { state: "CANCELLED" })] })
        yield* refusesWhole(driver, "ORCH_STORE_STALE", cancel)
        const contested = changeRow(held, { state: "CANCELLED" }, { contested: true })
        assert.deepStrictEqual((yield* write(driver, { changes: [contested] })).lost, [held.seq])
        yield* driver.fence({
          host: host.row.host,
          epoch: host.row.epoch,
          beat: null,
          as: "stopped",
          at: start
        })
        yield* cancel
        assert.strictEqual((yield* rowOf(driver, held.seq)).state, "CANCELLED")
      })
  )

  one(
    "a contested change is lost by exactly one of two hosts, and the loser's other rows commit (R8)",
    (driver) =>
      Effect.gen(function* () {
        const [first, second] = [yield* enlist(driver), yield* enlist(driver)]
        const own = yield* claimed(second, insertRow("own"))
        const [a, b] = yield* rowsOf(driver, yield* submit(driver, insertRow("a"), insertRow("b")))
        assert.isDefined(a)
        assert.isDefined(b)
        assert.deepStrictEqual((yield* first.commit({ changes: [claim(a, first)] })).lost, [])
        const won = yield* rowOf(driver, a.seq)
        const before = yield* look(driver)
        const rows = { retry: retryRow(), letter: letterRow(), markers: [markerRow("m")], result: `"mine"` }
        const answer = yield* second.commit({
          inserts: [insertRow("new")],
          changes: [
            changeRow(own, { retry_count: 1 }, { events: [eventRow({ event: "kept" })] }),
            { ...claim(a, second), ...rows },
            claim(b, second)
          ]
        })
        assert.deepStrictEqual(answer.lost, [a.seq])
        const after = yield* look(driver)
        assert.deepStrictEqual(yield* rowOf(driver, a.seq), won)
        assert.deepStrictEqual(
          after.jobs.map((row) => [row.idempotency_key, row.owner_host, row.version]),
          [
            ["own", second.row.host, 3],
            ["a", first.row.host, 2],
            ["b", second.row.host, 2],
            ["new", null, 1]
          ]
        )
        const added = after.events.slice(before.events.length)
        assert.deepStrictEqual(
          added.map(({ job, event }) => [job, event]),
          [
            [4, "submit"],
            [own.seq, "kept"],
            [b.seq, "validate"],
            [b.seq, "accept"],
            [b.seq, "dispatch"]
          ]
        )
        assert.strictEqual(answer.sequence, added.at(-1)?.sequence)
        for (const kind of ["retries", "letters", "markers"] as const)
          assert.lengthOf(yield* allRecords(driver, kind), 0)
      })
  )

  one(
    "a contested change is lost to the host's own row, to a stale version and to a job that is gone",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const own = yield* claimed(host, insertRow("a"))
        const free = yield* submitOne(driver, insertRow("b"))
        const before = yield* look(driver)
        const { lost } = yield* host.commit({
          changes: [
            changeRow(own, heldBy(host, 2), { contested: true }),
            { ...claim(free, host), version: 2 },
            { ...claim(free, host), seq: 99 }
          ]
        })
        assert.deepStrictEqual(lost, [own.seq, free.seq, 99])
        assert.deepStrictEqual((yield* look(driver)).jobs, before.jobs)
        assert.deepStrictEqual((yield* look(driver)).events, before.events)
        const gone = changeRow(own, {}, { seq: 99 })
        yield* refusesWhole(driver, "ORCH_STORE_STALE", host.commit({ changes: [gone] }))
      })
  )

  one("the work of a host whose epoch is over is adopted by exactly one of two others (R19)", (driver) =>
    Effect.gen(function* () {
      const [dead, first, second] = [yield* enlist(driver), yield* enlist(driver), yield* enlist(driver)]
      const row = yield* claimed(dead, insertRow("a"))
      const { epoch, host } = dead.row
      const sure = changeRow(row, waiting(start))
      const adopt = { ...sure, contested: true }
      yield* refusesWhole(driver, "ORCH_STORE_STALE", first.commit({ changes: [sure] }))
      assert.deepStrictEqual(
        (yield* first.commit({ changes: [adopt] })).lost,
        [row.seq],
        "not while it lives"
      )
      yield* driver.fence({ host, epoch, beat: null, as: "fenced", at: start })
      assert.deepStrictEqual(
        (yield* driver.agents({ by: "owner", host, epoch })).map(({ seq }) => seq),
        [row.seq]
      )
      assert.deepStrictEqual((yield* first.commit({ changes: [adopt] })).lost, [])
      assert.deepStrictEqual((yield* second.commit({ changes: [adopt] })).lost, [row.seq])
      assert.deepStrictEqual(yield* driver.agents({ by: "owner", host, epoch }), [])
      assert.deepInclude(yield* rowOf(driver, row.seq), {
        state: "RETRY_SCHEDULED",
        owner_host: null,
        version: 3
      })

      const stopped = yield* enlist(driver)
      const other = yield* claimed(stopped, insertRow("b"))
      yield* driver.fence({
        host: stopped.row.host,
        epoch: stopped.row.epoch,
        beat: null,
        as: "stopped",
        at: start
      })
      yield* first.commit({ changes: [changeRow(other, heldBy(first, 2))] })
      assert.strictEqual((yield* rowOf(driver, other.seq)).owner_host, first.row.host)
    })
  )

  two("a change made through one connection makes the other's stale", (first, second) =>
    Effect.gen(function* () {
      const host = yield* enlist(first)
      const row = yield* submitOne(second, insertRow("a"))
      yield* host.commit({ changes: [claim(row, host)] })
      yield* refusesWhole(
        second,
        "ORCH_STORE_STALE",
        write(second, { changes: [changeRow(row, { state: "CANCELLED" })] })
      )
    })
  )
}
