/**
 * The peek (R7, R9): which jobs are runnable, in which order, and when the next one is due.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import type { JobStateRow } from "../../ports/StoreRows.ts"
import {
  claim,
  claimed,
  enlist,
  heldBy,
  over,
  rowOf,
  rowsOf,
  submit,
  submitOne,
  waiting,
  write
} from "./StoreActs.ts"
import { changeRow, insertRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

const peek = (
  driver: StoreDriver,
  parts: { readonly workflows?: ReadonlyArray<string>; readonly now?: number; readonly limit?: number } = {}
) => driver.jobs({ by: "ready", workflows: ["review"], now: start, limit: 1000, ...parts })

/** The keys of the jobs that the peek answers, in its order, and its `next_due`. */
export const ready = (...request: Parameters<typeof peek>) =>
  Effect.map(peek(...request), ({ next_due, rows }) => [
    rows.map((row) => row.idempotency_key).join(" "),
    next_due
  ])

export const peeking = ({ one, two }: StoreTests): void => {
  one("an empty store and an empty list of workflows have nothing ready", (driver) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ready(driver), ["", null])
      yield* submit(driver, insertRow("a"), insertRow("b", { run_at: start + 1 }))
      assert.deepStrictEqual(yield* ready(driver, { workflows: [] }), ["", null])
    })
  )

  one("larger priority comes first, then run_at, then order of arrival (R7)", (driver) =>
    Effect.gen(function* () {
      yield* submit(
        driver,
        insertRow("low", { priority: -5, run_at: 1 }),
        insertRow("late", { run_at: start }),
        insertRow("early", { run_at: start - 1000 }),
        insertRow("second", { run_at: start - 500 }),
        insertRow("third", { run_at: start - 500 }),
        insertRow("high", { priority: 1_000_000_000, run_at: start })
      )
      assert.deepStrictEqual(yield* ready(driver), ["high early second third late low", null])
      assert.deepStrictEqual(yield* ready(driver, { limit: 4 }), ["high early second third", null])
      assert.deepStrictEqual(yield* ready(driver, { limit: 1 }), ["high", null])
    })
  )

  one("rows come with their payload and every column, without a result", (driver) =>
    Effect.gen(function* () {
      const row = yield* submitOne(driver, insertRow("a"))
      assert.deepStrictEqual((yield* peek(driver)).rows, [row])
    })
  )

  one("97 interleaved priorities come out in order while they are claimed", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const inserts = Array.from({ length: 970 }, (_, n) =>
        insertRow(`${n}`, { priority: (n * 41) % 97, run_at: start - (n % 7) })
      )
      yield* submit(driver, ...inserts)
      const expected = inserts
        .map(({ origin, run_at }, n) => ({ n, run_at, priority: origin.priority }))
        .toSorted((a, b) => b.priority - a.priority || a.run_at - b.run_at || a.n - b.n)
        .map(({ n }) => `${n}`)
      const taken: Array<string> = []
      while (true) {
        const { rows } = yield* peek(driver, { limit: 64 })
        if (rows.length === 0) break
        taken.push(...rows.map((row) => row.idempotency_key))
        yield* host.commit({ changes: rows.map((row) => claim(row, host)) })
      }
      assert.deepStrictEqual(taken, expected)
    })
  )

  one(
    "jobs that leave from the middle of the line, and others that join there, leave its order whole",
    (driver) =>
      Effect.gen(function* () {
        const inserts = Array.from({ length: 600 }, (_, n) =>
          insertRow(`${n}`, { priority: (n * 7919) % 101, run_at: start - ((n * 31) % 13) })
        )
        const cancel = Effect.fnUntraced(function* (leaves: (n: number) => boolean) {
          const gone = inserts.flatMap((_, n) => (leaves(n) ? [n + 1] : []))
          const rows = yield* rowsOf(driver, gone)
          const left = rows.filter(({ state }) => state === "PENDING").toReversed()
          yield* write(driver, { changes: left.map((row) => changeRow(row, { state: "CANCELLED" })) })
        })
        yield* submit(driver, ...inserts.slice(0, 300))
        yield* cancel((n) => n < 300 && (n * 17) % 7 < 2)
        yield* submit(driver, ...inserts.slice(300))
        yield* peek(driver)
        yield* cancel((n) => (n * 13) % 5 === 0)
        const { rows } = yield* peek(driver)
        const expected = inserts
          .map(({ origin, run_at }, n) => ({ n, run_at, priority: origin.priority }))
          .filter(({ n }) => !(n < 300 && (n * 17) % 7 < 2) && (n * 13) % 5 !== 0)
          .toSorted((a, b) => b.priority - a.priority || a.run_at - b.run_at || a.n - b.n)
        assert.deepStrictEqual(
          rows.map((row) => row.idempotency_key),
          expected.map(({ n }) => `${n}`)
        )
      })
  )

  one("one peek over several workflows merges them by the same order and leaves out the others", (driver) =>
    Effect.gen(function* () {
      yield* submit(
        driver,
        ...Array.from({ length: 12 }, (_, n) =>
          insertRow(`${n}`, { workflow_type: `w${n % 4}`, priority: n % 3, run_at: start - n })
        ),
        insertRow("soon", { workflow_type: "w1", run_at: start + 5 }),
        insertRow("sooner", { workflow_type: "w3", run_at: start + 2 })
      )
      assert.deepStrictEqual(yield* ready(driver, { workflows: ["w0", "w1"] }), ["8 5 4 1 9 0", start + 5])
      assert.deepStrictEqual(yield* ready(driver, { workflows: ["w1", "w0"], limit: 3 }), [
        "8 5 4",
        start + 5
      ])
      assert.deepStrictEqual(yield* ready(driver, { workflows: ["w2", "nobody's"] }), ["2 10 6", null])
      const all = yield* ready(driver, { workflows: ["w0", "w1", "w2", "w3"] })
      assert.deepStrictEqual(all, ["11 8 5 2 10 7 4 1 9 6 3 0", start + 2])
    })
  )

  one("a job is due at its run_at and not a millisecond earlier (R9)", (driver) =>
    Effect.gen(function* () {
      yield* submit(
        driver,
        insertRow("a", { run_at: start + 10 }),
        insertRow("b", { run_at: start + 20, priority: 5 })
      )
      assert.deepStrictEqual(yield* ready(driver, { now: start + 9 }), ["", start + 10])
      assert.deepStrictEqual(yield* ready(driver, { now: start + 10 }), ["a", start + 20])
      assert.deepStrictEqual(yield* ready(driver, { now: start + 19 }), ["a", start + 20])
      assert.deepStrictEqual(yield* ready(driver, { now: start + 20 }), ["b a", null])
      assert.deepStrictEqual(
        yield* ready(driver, { now: start + 9 }),
        ["", start + 10],
        "another host's clock is behind"
      )
      assert.deepStrictEqual(yield* ready(driver, { now: start + 20 }), ["b a", null])
    })
  )

  one(
    "2,000 future jobs of better priority hide no due one, and are promoted when their time comes",
    (driver) =>
      Effect.gen(function* () {
        yield* submit(
          driver,
          ...Array.from({ length: 2000 }, (_, n) =>
            insertRow(`future ${n}`, { priority: 100, run_at: start + 1000 + n })
          ),
          insertRow("due", { priority: -100 })
        )
        assert.deepStrictEqual(yield* ready(driver, { limit: 3 }), ["due", start + 1000])
        const later = yield* peek(driver, { now: start + 1499, limit: 1000 })
        assert.deepStrictEqual(
          later.rows.map((row) => row.idempotency_key),
          [...Array.from({ length: 500 }, (_, n) => `future ${n}`), "due"]
        )
        assert.strictEqual(later.next_due, start + 1500)
      })
  )

  one(
    "a retry keeps its priority, comes at its new due time, and after a change of it at the newest",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        yield* submit(driver, insertRow("other", { priority: 1 }))
        const row = yield* claimed(host, insertRow("a", { priority: 9 }))
        yield* host.commit({ changes: [changeRow(row, waiting(start + 500))] })
        assert.deepStrictEqual(yield* ready(driver), ["other", start + 500])
        yield* host.commit({ changes: [changeRow(yield* rowOf(driver, row.seq), waiting(start + 900))] })
        assert.deepStrictEqual(yield* ready(driver, { now: start + 500 }), ["other", start + 900])
        yield* host.commit({ changes: [changeRow(yield* rowOf(driver, row.seq), waiting(start - 1))] })
        assert.deepStrictEqual(yield* ready(driver), ["a other", null])
      })
  )

  one("owned, ending, unknown, running and over jobs are neither ready nor next (R9)", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const hidden: Record<string, Partial<JobStateRow>> = {
        "owned and running": heldBy(host),
        "owned and waiting": {
          ...heldBy(host),
          state: "RETRY_SCHEDULED",
          agent_state: "abandoned",
          standing: "waiting"
        },
        "still ending": {
          ...waiting(start),
          ...heldBy(host),
          state: "RETRY_SCHEDULED",
          agent_state: "abandoned",
          standing: "ending"
        },
        "ending, unowned": { ...waiting(start), standing: "ending" },
        parked: { ...waiting(start), hold: `{"why":"asked"}` },
        "parked before it was accepted": { hold: `{"why":"asked"}` },
        validating: { state: "VALIDATING" },
        "running, unowned": { ...heldBy(host), owner_host: null, owner_epoch: null },
        completed: over("COMPLETED", start),
        failed: over("FAILED", start),
        quarantined: over("DEAD_LETTERED", start),
        cancelled: { state: "CANCELLED" }
      }
      const names = Object.keys(hidden)
      const rows = yield* rowsOf(
        driver,
        yield* submit(driver, ...names.map((name) => insertRow(name)), insertRow("seen"))
      )
      yield* host.commit({
        changes: rows.slice(0, -1).map((row) => changeRow(row, hidden[row.idempotency_key]))
      })
      assert.deepStrictEqual(yield* ready(driver), ["seen", null])
      const hiddenRows = yield* rowsOf(
        driver,
        rows.slice(0, -1).map(({ seq }) => seq)
      )
      yield* host.commit({ changes: hiddenRows.map((row) => changeRow(row, { run_at: start + 5 })) })
      assert.deepStrictEqual(yield* ready(driver), ["seen", null])
    })
  )

  one("a job that ends is gone from the peek at once, and one that is handed back returns", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const [a, b] = yield* rowsOf(
        driver,
        yield* submit(driver, insertRow("a"), insertRow("b", { run_at: start + 1 }))
      )
      assert.isDefined(a)
      assert.isDefined(b)
      yield* write(driver, { changes: [changeRow(b, { state: "CANCELLED" })] })
      assert.deepStrictEqual(yield* ready(driver), ["a", null])
      yield* host.commit({ changes: [claim(a, host)] })
      assert.deepStrictEqual(yield* ready(driver), ["", null])
      yield* host.commit({ changes: [changeRow(yield* rowOf(driver, a.seq), waiting(start))] })
      assert.deepStrictEqual(yield* ready(driver), ["a", null])
    })
  )

  two("what one connection claims or submits, the other sees at its next peek", (first, second) =>
    Effect.gen(function* () {
      const host = yield* enlist(first)
      assert.deepStrictEqual(yield* ready(second), ["", null])
      const row = yield* submitOne(first, insertRow("a"))
      assert.deepStrictEqual(yield* ready(second), ["a", null])
      yield* host.commit({ changes: [claim(row, host)] })
      assert.deepStrictEqual(yield* ready(second), ["", null])
    })
  )
}
