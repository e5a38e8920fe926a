/**
 * The audit (R12, law 2): events are numbered without gaps, kept in order, and none is without reason, actor and time.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { EventDraftRow, EventRow } from "../../ports/StoreRows.ts"
import {
  allEvents,
  claim,
  claimed,
  completed,
  enlist,
  over,
  quarantined,
  refusesWhole,
  rowOf,
  submit,
  submitOne,
  type TestHost,
  waiting,
  write
} from "./StoreActs.ts"
import { changeRow, eventRow, insertRow, start, submitted } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

const numbers = (events: ReadonlyArray<EventRow>) => events.map(({ sequence }) => sequence)

const named = (event: string) => eventRow({ event })

export const audit = ({ one, two }: StoreTests): void => {
  one("an event is read back with every column and its job's correlation id", (driver) =>
    Effect.gen(function* () {
      const whole: EventDraftRow = {
        subject_kind: "agent",
        event: "abandon",
        from_state: "working",
        to_state: "abandoned",
        transition_reason: "stream_silence",
        error_code: "ORCH_RETRYABLE_STREAM_SILENCE",
        actor: "host:1",
        occurred_at: start + 3,
        incarnation: 17,
        detail: `{"silent":300000}`
      }
      const host = yield* enlist(driver)
      const first = submitted({ actor: "operator:ana" })
      const row = yield* submitOne(driver, insertRow("a", { correlation_id: "corr", events: [first] }))
      yield* host.commit({
        changes: [changeRow(row, {}, { events: [whole] })],
        notes: [{ ...eventRow({ subject_kind: "host", event: "enlisted" }), job: null }]
      })
      const expected: ReadonlyArray<EventRow> = [
        { ...first, sequence: 1, job: row.seq, correlation_id: "corr" },
        { ...whole, sequence: 2, job: row.seq, correlation_id: "corr" },
        {
          ...eventRow({ subject_kind: "host", event: "enlisted" }),
          sequence: 3,
          job: null,
          correlation_id: null
        }
      ]
      assert.deepStrictEqual(yield* allEvents(driver), expected)
      const other = yield* submitOne(driver, insertRow("b"))
      assert.deepInclude((yield* allEvents(driver, other.seq))[0], { job: other.seq, correlation_id: null })
    })
  )

  one(
    "events are numbered from 1 without gaps: inserts, then changes, then notes, each in the order given",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const a = yield* submitOne(driver, insertRow("a"))
        const answer = yield* host.commit({
          notes: [
            { ...named("n1"), job: null },
            { ...named("n2"), job: a.seq }
          ],
          changes: [changeRow(a, {}, { events: ["c1", "c2", "c3"].map(named) })],
          inserts: [
            insertRow("b", { events: ["i1", "i2"].map(named) }),
            insertRow("a", { events: [named("never")] }),
            insertRow("c", { events: [named("i3")] })
          ]
        })
        const events = yield* allEvents(driver)
        assert.deepStrictEqual(
          events.map(({ event, job, sequence }) => [sequence, event, job]),
          [
            [1, "submit", 1],
            [2, "i1", 2],
            [3, "i2", 2],
            [4, "i3", 3],
            [5, "c1", 1],
            [6, "c2", 1],
            [7, "c3", 1],
            [8, "n1", null],
            [9, "n2", 1]
          ]
        )
        assert.strictEqual(answer.sequence, 9)
      })
  )

  one(
    "every commit answers the last sequence, those without an event too; a refused one uses no number up",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        assert.strictEqual((yield* host.commit({})).sequence, 0)
        assert.strictEqual((yield* write(driver, { inserts: [insertRow("a")] })).sequence, 1)
        yield* refusesWhole(
          driver,
          "ORCH_STORE_BROKEN",
          write(driver, { inserts: [insertRow("b"), insertRow("c", { events: [submitted({ actor: "" })] })] })
        )
        assert.strictEqual((yield* write(driver, { inserts: [insertRow("b")] })).sequence, 2)
        assert.strictEqual((yield* write(driver, { inserts: [insertRow("a")] })).sequence, 2)
        assert.strictEqual((yield* host.commit({})).sequence, 2)
        assert.deepStrictEqual(numbers(yield* allEvents(driver)), [1, 2])
      })
  )

  one("a job's moves form one unbroken chain from its creation to its end (R12)", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const a = yield* claimed(host, insertRow("a"))
      yield* completed(host, insertRow("b"), start)
      yield* host.commit({ changes: [changeRow(a, waiting(start))] })
      yield* quarantined(host, insertRow("c"), start)
      yield* host.commit({ changes: [claim(yield* rowOf(driver, a.seq), host)] })
      yield* host.commit({ changes: [changeRow(yield* rowOf(driver, a.seq), over("COMPLETED", start))] })
      const chains = yield* Effect.forEach([1, 2, 3], (job) => allEvents(driver, job))
      for (const [place, chain] of chains.entries()) {
        let state: string | null = null
        for (const event of chain.filter(({ subject_kind }) => subject_kind === "job")) {
          assert.strictEqual(event.from_state, state)
          state = event.to_state
        }
        assert.strictEqual(state, (yield* rowOf(driver, place + 1)).state)
      }
      assert.deepStrictEqual(
        chains[0]?.map(({ event }) => event).join(" "),
        "submit validate accept dispatch schedule_retry retry dispatch complete"
      )
      assert.deepStrictEqual(
        numbers(chains.flat()).toSorted((x, y) => x - y),
        numbers(yield* allEvents(driver))
      )
    })
  )

  one("pages go forwards and backwards, of all and of one job, without a gap or a repeat", (driver) =>
    Effect.gen(function* () {
      yield* submit(driver, insertRow("a"), insertRow("b"))
      yield* write(driver, {
        notes: Array.from({ length: 40 }, (_, n) => ({
          ...eventRow({ event: `${n}` }),
          job: n % 3 === 0 ? null : n % 3
        }))
      })
      const all = numbers(yield* allEvents(driver))
      assert.lengthOf(all, 42)
      for (const job of [null, 1, 2]) {
        const whole = numbers(yield* allEvents(driver, job))
        assert.lengthOf(whole, job === null ? 42 : 14)
        for (const order of ["ascending", "descending"] as const) {
          const walked: Array<number> = []
          while (true) {
            const page = yield* driver.events({ job, after: walked.at(-1) ?? 0, limit: 5, order })
            if (page.length === 0) break
            assert.isAtMost(page.length, 5)
            walked.push(...numbers(page))
            assert.isAtMost(walked.length, whole.length)
          }
          assert.deepStrictEqual(walked, order === "ascending" ? whole : whole.toReversed())
        }
      }
      const last = yield* driver.events({ job: null, after: 42, limit: 5, order: "ascending" })
      const first = yield* driver.events({ job: null, after: 1, limit: 5, order: "descending" })
      const none = yield* driver.events({ job: 99, after: 0, limit: 5, order: "ascending" })
      assert.deepStrictEqual([last, first, none], [[], [], []])
      const ofHosts = numbers((yield* allEvents(driver)).filter(({ job }) => job === null))
      const walk = { job: null, hosts: true, limit: 3 } as const
      for (const order of ["ascending", "descending"] as const) {
        const inOrder = order === "ascending" ? ofHosts : ofHosts.toReversed()
        const page = numbers(yield* driver.events({ ...walk, after: 0, order }))
        assert.deepStrictEqual(page, inOrder.slice(0, 3))
        const next = numbers(yield* driver.events({ ...walk, after: page.at(-1) ?? 0, order }))
        assert.deepStrictEqual(next, inOrder.slice(3, 6))
      }
      assert.isAbove(ofHosts.length, 6)
    })
  )

  one(
    "an event without a reason, an actor or a time, or with a state of no table, is refused by the store itself (R12)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const row = yield* claimed(host, insertRow("a"))
        const bad: ReadonlyArray<Partial<EventDraftRow>> = [
          { transition_reason: "" },
          { actor: "" },
          { occurred_at: Number.NaN },
          { subject_kind: "tenant" },
          { subject_kind: "" },
          { to_state: "DONE" },
          { from_state: "DONE", to_state: "PENDING" },
          { to_state: "working" },
          { subject_kind: "agent", to_state: "PROCESSING" }
        ]
        for (const parts of bad) {
          const event = eventRow(parts)
          yield* refusesWhole(
            driver,
            "ORCH_STORE_BROKEN",
            host.commit({ changes: [changeRow(row, { retry_count: 1 }, { events: [eventRow(), event] })] })
          )
          yield* refusesWhole(
            driver,
            "ORCH_STORE_BROKEN",
            write(driver, { notes: [{ ...event, job: row.seq }] })
          )
          yield* refusesWhole(
            driver,
            "ORCH_STORE_BROKEN",
            write(driver, { inserts: [insertRow("b", { events: [event] })] })
          )
        }
      })
  )

  two("two connections that write at once number their events without a gap or a repeat", (first, second) =>
    Effect.gen(function* () {
      const hosts = [yield* enlist(first), yield* enlist(second)]
      const fifty = Array.from({ length: 50 }, (_, n) => n)
      const work = Effect.fnUntraced(function* (host: TestHost) {
        for (const n of fifty) {
          yield* host.commit({
            inserts: [insertRow(`${host.row.host} ${n}`)],
            notes: [{ ...eventRow({ actor: `host:${host.row.host}`, event: `${n}` }), job: null }]
          })
          yield* Effect.yieldNow
        }
      })
      yield* Effect.forEach(hosts, work, { concurrency: "unbounded", discard: true })
      const events = yield* allEvents(first)
      assert.deepStrictEqual(
        numbers(events),
        Array.from({ length: 200 }, (_, n) => n + 1)
      )
      assert.deepStrictEqual(yield* allEvents(second), events)
      for (const host of hosts)
        assert.deepStrictEqual(
          events.flatMap(({ actor, event, job }) =>
            job === null && actor === `host:${host.row.host}` ? [event] : []
          ),
          fifty.map(String)
        )
    })
  )
}
