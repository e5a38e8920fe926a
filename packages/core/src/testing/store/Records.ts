/**
 * What is kept beside jobs and events: retries, letters, markers and banks, read back whole and by pages.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import type { MarkerRow, RetryRow } from "../../ports/StoreRows.ts"
import {
  allRecords,
  claimed,
  enlist,
  heldBy,
  look,
  quarantined,
  refusesWhole,
  rowOf,
  rowsOf,
  rowsOfKind,
  submit,
  waiting,
  write
} from "./StoreActs.ts"
import {
  breakerRow,
  changeRow,
  insertRow,
  intentRow,
  letterRow,
  markerRow,
  messageRow,
  retryRow,
  start
} from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

const byName = (rows: ReadonlyArray<MarkerRow>) => rows.toSorted((x, y) => (x.name < y.name ? -1 : 1))

export const records = ({ many, one }: StoreTests): void => {
  one("a new store has no records", (driver) =>
    Effect.gen(function* () {
      for (const kind of [
        "retries",
        "letters",
        "markers",
        "intents",
        "hosts",
        "banks",
        "breakers",
        "messages"
      ] as const)
        assert.deepStrictEqual(yield* allRecords(driver, kind), [])
    })
  )

  one("retries are kept whole, in the order written, by job", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const [a, b] = [yield* claimed(host, insertRow("a")), yield* claimed(host, insertRow("b"))]
      const retries = [
        retryRow(),
        retryRow({
          attempt: 1,
          incarnation: 2,
          error_code: "ORCH_HOST_LOST",
          burned: 0,
          delay_ms: 0,
          failure: "{}"
        }),
        retryRow({ attempt: 2, incarnation: 3, next_at: start + 60_000, at: start + 50 })
      ]
      const theirs: Array<RetryRow> = []
      for (const retry of retries) {
        const [row, other] = yield* rowsOf(driver, [a.seq, b.seq])
        assert.isDefined(row)
        assert.isDefined(other)
        const their = { ...retry, error_code: "EXT_B" }
        theirs.push(their)
        yield* host.commit({
          changes: [
            changeRow(row, waiting(retry.next_at), { retry }),
            changeRow(other, heldBy(host), { retry: their })
          ]
        })
      }
      assert.deepStrictEqual(yield* rowsOfKind(driver, "retries", { job: a.seq }), retries)
      const all = yield* allRecords(driver, "retries")
      assert.lengthOf(all, 6)
      assert.deepStrictEqual(
        all.filter(({ job }) => job === b.seq).map(({ row }) => row),
        theirs
      )
    })
  )

  one("a letter is kept whole, a later one replaces it, and a replay is written on it", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const a = yield* claimed(host, insertRow("a"))
      const letter = letterRow({ final_state: "PROCESSING", replay_eligible: 0, raw: `{"state":77}` })
      yield* host.commit({ changes: [changeRow(a, {}, { letter })] })
      assert.deepStrictEqual(yield* rowsOfKind(driver, "letters"), [{ ...letter, replayed_by: null }])
      const allowed = { ...letter, replay_eligible: 1, failure_summary: "allowed" }
      yield* host.commit({ changes: [changeRow(yield* rowOf(driver, a.seq), {}, { letter: allowed })] })
      assert.deepStrictEqual(yield* rowsOfKind(driver, "letters"), [{ ...allowed, replayed_by: null }])
      const [replay] = yield* submit(driver, insertRow("a", { supersedes: a.seq }))
      const [record] = yield* allRecords(driver, "letters", { job: a.seq })
      assert.deepStrictEqual([record?.job, record?.row], [a.seq, { ...allowed, replayed_by: replay ?? null }])
      assert.deepStrictEqual(yield* allRecords(driver, "letters", { job: replay ?? 0 }), [])
    })
  )

  one("markers are unique by job and name: a later one replaces, another job's stays", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const [a, b] = [yield* claimed(host, insertRow("a")), yield* claimed(host, insertRow("b"))]
      const finished = markerRow("comment", {
        state: "finished",
        incarnation: 2,
        at: start + 1,
        result: `{"id":7}`
      })
      yield* host.commit({
        changes: [
          changeRow(a, {}, { markers: [markerRow("comment"), markerRow("push")] }),
          changeRow(b, {}, { markers: [markerRow("comment")] })
        ]
      })
      yield* host.commit({ changes: [changeRow(yield* rowOf(driver, a.seq), {}, { markers: [finished] })] })
      assert.deepStrictEqual(byName(yield* rowsOfKind(driver, "markers", { job: a.seq })), [
        finished,
        markerRow("push")
      ])
      assert.deepStrictEqual(yield* rowsOfKind(driver, "markers", { job: b.seq }), [markerRow("comment")])
      assert.lengthOf(yield* allRecords(driver, "markers"), 3)
      const cleared = markerRow("push", { state: "cleared", incarnation: 3 })
      const twice = [markerRow("push", { incarnation: 3 }), cleared]
      yield* host.commit({ changes: [changeRow(yield* rowOf(driver, a.seq), {}, { markers: twice })] })
      assert.deepStrictEqual(byName(yield* rowsOfKind(driver, "markers", { job: a.seq })), [
        finished,
        cleared
      ])
    })
  )

  one("a host's bank replaces its former one and no other host's", (driver) =>
    Effect.gen(function* () {
      const [a, b] = [yield* enlist(driver), yield* enlist(driver)]
      yield* a.commit({ at: start + 1, bank: `{"n":1}` })
      yield* b.commit({ at: start + 2, bank: `{"n":2}` })
      yield* a.commit({ at: start + 3, bank: `{"n":3}` })
      yield* a.commit({ at: start + 4 })
      const banks = yield* rowsOfKind(driver, "banks")
      assert.deepStrictEqual(
        banks.toSorted((x, y) => x.host - y.host),
        [
          { host: a.row.host, at: start + 3, bank: `{"n":3}` },
          { host: b.row.host, at: start + 2, bank: `{"n":2}` }
        ]
      )
    })
  )

  one("a bank replaces those of hosts that are over, the newest of which stays until then", (driver) =>
    Effect.gen(function* () {
      const [a, b] = [yield* enlist(driver), yield* enlist(driver)]
      const hosts = Effect.map(rowsOfKind(driver, "banks"), (banks) =>
        banks.map(({ host }) => host).toSorted((x, y) => x - y)
      )
      yield* a.commit({ at: start + 1, bank: "{}" })
      yield* b.commit({ at: start + 2, bank: "{}" })
      for (const [{ row }, as] of [[a, "stopped"] as const, [b, "fenced"] as const])
        yield* driver.fence({ host: row.host, epoch: row.epoch, beat: null, as, at: start + 3 })
      assert.deepStrictEqual(yield* hosts, [a.row.host, b.row.host])
      const c = yield* enlist(driver)
      yield* c.commit({ at: start + 4 })
      assert.deepStrictEqual(yield* hosts, [a.row.host, b.row.host])
      yield* c.commit({ at: start + 5, bank: "{}" })
      assert.deepStrictEqual(yield* hosts, [c.row.host])
    })
  )

  one(
    "a workflow's breaker replaces its former one and no other workflow's; only a host writes one",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const audit = breakerRow({ workflow_type: "audit", failures: 9 })
        yield* host.commit({ breakers: [breakerRow(), audit] })
        const probing = breakerRow({ state: "half_open", failures: 6, at: start + 1 })
        yield* host.commit({ breakers: [probing] })
        assert.deepStrictEqual(yield* rowsOfKind(driver, "breakers"), [probing, audit])
        const closed = breakerRow({
          state: "closed",
          opened_at: null,
          probe_at: null,
          failures: 0,
          at: start + 2
        })
        yield* host.commit({ breakers: [closed] })
        assert.deepStrictEqual(yield* rowsOfKind(driver, "breakers"), [closed, audit])
        const [second] = yield* driver.records({ kind: "breakers", job: null, after: 1, limit: 1 })
        assert.deepStrictEqual(second, { kind: "breakers", cursor: 2, job: null, row: audit })
        yield* refusesWhole(driver, "ORCH_STORE_BROKEN", write(driver, { breakers: [closed] }))
        const unknown = host.commit({ breakers: [closed, breakerRow({ state: "ajar" })] })
        yield* refusesWhole(driver, "ORCH_STORE_BROKEN", unknown)
      })
  )

  one("a discarded letter is not open, counts no more, and its job is not replayed", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const [a, b] = [
        yield* quarantined(host, insertRow("a"), start),
        yield* quarantined(host, insertRow("b"), start)
      ]
      const letters = Effect.map(driver.tally({ now: start }), (tally) => tally.letters)
      const discarded = letterRow({ discarded_at: start + 1 })
      yield* write(driver, { changes: [changeRow(a, {}, { letter: discarded })] })
      assert.deepStrictEqual(yield* rowsOfKind(driver, "letters", { open: true }), [
        { ...letterRow(), replayed_by: null }
      ])
      assert.deepStrictEqual(yield* rowsOfKind(driver, "letters", { job: a.seq, open: true }), [])
      assert.lengthOf(yield* allRecords(driver, "letters"), 2)
      assert.strictEqual(yield* letters, 1)
      yield* refusesWhole(driver, "ORCH_STORE_STALE", submit(driver, insertRow("a", { supersedes: a.seq })))
      const [replay] = yield* submit(driver, insertRow("b", { supersedes: b.seq }))
      assert.strictEqual(yield* letters, 0)
      yield* write(driver, { changes: [changeRow(yield* rowOf(driver, b.seq), {}, { letter: discarded })] })
      assert.deepStrictEqual(yield* submit(driver, insertRow("b", { supersedes: b.seq })), [replay ?? 0])
      yield* write(driver, { changes: [changeRow(yield* rowOf(driver, a.seq), {}, { letter: letterRow() })] })
      assert.strictEqual(yield* letters, 1)
    })
  )

  one("records come in pages that end, each record once", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      for (let n = 0; n < 6; n++) yield* enlist(driver)
      const rows = yield* Effect.forEach(["a", "b", "c", "d", "e", "f", "g"], (key) =>
        claimed(host, insertRow(key))
      )
      yield* host.commit({
        changes: rows.map((row) =>
          changeRow(row, {}, { retry: retryRow(), letter: letterRow(), markers: [markerRow("m")] })
        ),
        intents: rows.map(() => intentRow())
      })
      for (const kind of ["retries", "letters", "markers", "intents", "hosts"] as const) {
        const whole = yield* allRecords(driver, kind)
        assert.lengthOf(whole, 7, kind)
        const few = yield* allRecords(driver, kind, { limit: 2 })
        assert.deepStrictEqual(few, whole)
        assert.isAtMost((yield* driver.records({ kind, job: null, after: 0, limit: 3 })).length, 3)
      }
    })
  )

  many(
    "everything is found again through another connection, and after the one that wrote it has closed",
    (first, reopen) =>
      Effect.gen(function* () {
        const fill = Effect.fnUntraced(function* (driver: StoreDriver, key: string) {
          const host = yield* enlist(driver)
          const row = yield* claimed(host, insertRow(key))
          const parts = { retry: retryRow(), letter: letterRow(), markers: [markerRow("m")], result: "1" }
          yield* host.commit({
            changes: [changeRow(row, waiting(start), parts)],
            intents: [intentRow({ request_id: key })],
            bank: "{}",
            breakers: [breakerRow()],
            undelivered: { count: 1, rows: [messageRow()] }
          })
          return yield* look(driver)
        })
        const [before, store] = [yield* fill(first, "a"), yield* first.open]
        for (const kind of before.records) assert.lengthOf(kind, 1)
        assert.deepStrictEqual(yield* Effect.scoped(Effect.flatMap(reopen, look)), before)
        const after = yield* Effect.scoped(Effect.flatMap(reopen, (second) => fill(second, "b")))
        assert.deepStrictEqual(yield* look(first), after)
        const third = yield* reopen
        assert.deepStrictEqual([yield* look(third), yield* third.open], [after, store])
        assert.lengthOf(after.jobs, 2)
        assert.deepStrictEqual(
          (yield* write(third, { intents: [intentRow({ request_id: "a" })] })).intents,
          [1]
        )
        assert.deepStrictEqual(yield* submit(third, insertRow("b"), insertRow("c")), [2, 3])
      })
  )
}
