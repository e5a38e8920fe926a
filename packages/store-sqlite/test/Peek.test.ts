// The peek: the order of R7 exactly, whatever lies in which queue, and by index alone.
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import type { InsertRow, StoreDriver } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { readyRows } from "../src/Peek.ts"
import { change, claim, event, insert, start, storePath, unit } from "./child/StoreFixture.ts"

const memory = SqliteStore.makeDriver({ filename: ":memory:" })

const peek = (driver: StoreDriver, now: number, limit = 10, workflows: ReadonlyArray<string> = ["review"]) =>
  driver.jobs({ by: "ready", workflows, now, limit })

const keysOf = (found: { readonly rows: ReadonlyArray<{ readonly idempotency_key: string }> }) =>
  found.rows.map((row) => row.idempotency_key)

/** What the peek must answer, worked out by sorting everything. */
const expected = (inserts: ReadonlyArray<InsertRow>, now: number, limit: number) => {
  const due = inserts.filter((row) => row.run_at <= now)
  const later = inserts.filter((row) => row.run_at > now).map((row) => row.run_at)
  return {
    keys: due
      .toSorted((a, b) => b.origin.priority - a.origin.priority || a.run_at - b.run_at)
      .slice(0, limit)
      .map((row) => row.origin.idempotency_key),
    next_due: later.length === 0 ? null : later.reduce((a, b) => Math.min(a, b))
  }
}

/** Jobs whose due times differ and are mixed among the priorities. */
const mixed = (count: number, priorities: number): ReadonlyArray<InsertRow> =>
  Array.from({ length: count }, (_, n) =>
    insert(`job ${n}`, { priority: (n * 7) % priorities, run_at: start + ((n * 7919) % count) * 10 })
  )

describe("the peek", () => {
  it.effect("finds ready rows by their index, without sorting", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      yield* SqliteStore.makeDriver({ filename })
      const db = new DatabaseSync(filename)
      const plan = db
        .prepare(`EXPLAIN QUERY PLAN ${readyRows(1)}`)
        .all("review", start, 10)
        .map((row) => String(row["detail"]))
      db.close()
      assert.include(plan.join("\n"), "USING COVERING INDEX job_ready (workflow=?")
      assert.notInclude(plan.join("\n"), "TEMP B-TREE")
      assert.notInclude(plan.join("\n"), "SCAN job_")
    }).pipe(Effect.scoped)
  )

  // Three priorities and few late rows, many late rows, and as many priorities as rows: each takes another way.
  for (const [count, priorities] of [
    [200, 3],
    [3000, 3],
    [3000, 3000]
  ] as const)
    it.effect(
      `answers in order before any commit has promoted what came due (${count} jobs, ${priorities} priorities)`,
      () =>
        Effect.gen(function* () {
          const driver = yield* memory
          const inserts = mixed(count, priorities)
          yield* driver.commit(unit({ at: start - 1, inserts }))
          for (const part of [-1, 0, 0.1, 0.5, 0.9, 1]) {
            const now = start + Math.floor(count * part) * 10
            const found = yield* peek(driver, now)
            const wanted = expected(inserts, now, 10)
            assert.deepStrictEqual(keysOf(found), wanted.keys)
            assert.strictEqual(found.next_due, wanted.next_due)
          }
        }).pipe(Effect.scoped)
    )

  it.effect("answers the same after commits have promoted some, and to a reader whose clock is behind", () =>
    Effect.gen(function* () {
      const driver = yield* memory
      const inserts = mixed(3000, 5)
      yield* driver.commit(unit({ at: start - 1, inserts }))
      for (const commits of [1, 2, 3, 4]) {
        yield* driver.commit(unit({ at: start + 25_000 }))
        for (const now of [start + 25_000, start + 24_000, start + 10, start + 29_000]) {
          const found = yield* peek(driver, now)
          const wanted = expected(inserts, now, 10)
          assert.deepStrictEqual(keysOf(found), wanted.keys, `after ${commits} commits, at ${now - start}`)
          assert.strictEqual(found.next_due, wanted.next_due)
        }
      }
      const { oldest_ready } = yield* driver.tally({ now: start + 25_000 })
      assert.strictEqual(oldest_ready, start)
      assert.isNull((yield* driver.tally({ now: start - 1 })).oldest_ready)
    }).pipe(Effect.scoped)
  )

  it.effect("a commit promotes what came due, a thousand rows at most", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      const driver = yield* SqliteStore.makeDriver({ filename, synchronous: "NORMAL" })
      yield* driver.commit(unit({ at: start - 1, inserts: mixed(2500, 5) }))
      const db = new DatabaseSync(filename)
      const left: Array<unknown> = []
      for (const now of [start - 1, start + 500, start + 25_000, start + 25_000, start + 25_000]) {
        yield* driver.commit(unit({ at: now }))
        left.push(db.prepare("SELECT count(*) AS left FROM job_state WHERE queue = 1").get()?.["left"])
      }
      db.close()
      assert.deepStrictEqual(left, [2500, 2449, 1449, 449, 0])
    }).pipe(Effect.scoped)
  )

  it.effect("merges the workflows that are asked for and no others", () =>
    Effect.gen(function* () {
      const driver = yield* memory
      const inserts = ["a", "b", "c"].flatMap((workflow, w) =>
        Array.from({ length: 5 }, (_, n) =>
          insert(`${workflow}${n}`, { workflow, priority: n, run_at: start + w })
        )
      )
      yield* driver.commit(unit({ at: start, inserts }))
      const found = yield* peek(driver, start + 9, 4, ["a", "c", "unknown"])
      assert.deepStrictEqual(keysOf(found), ["a4", "c4", "a3", "c3"])
      assert.deepStrictEqual(keysOf(yield* peek(driver, start, 9, ["c"])), [])
      assert.strictEqual((yield* peek(driver, start, 9, ["c", "b"])).next_due, start + 1)
      assert.deepStrictEqual(yield* peek(driver, start, 9, []), { rows: [], next_due: null })
    }).pipe(Effect.scoped)
  )
})

describe("rows in hand", () => {
  const two = Effect.gen(function* () {
    const filename = yield* storePath
    const options = { filename, synchronous: "NORMAL" as const }
    return [yield* SqliteStore.makeDriver(options), yield* SqliteStore.makeDriver(options)] as const
  })

  it.effect("a row that was peeked at and then taken by another connection is lost, not won", () =>
    Effect.gen(function* () {
      const [mine, theirs] = yield* two
      yield* mine.commit(unit({ inserts: [insert("a"), insert("b")] }))
      const me = yield* mine.enlist({ identity: "{}", at: start })
      const they = yield* theirs.enlist({ identity: "{}", at: start })
      const { rows } = yield* peek(mine, start)
      const [first] = rows
      assert.isDefined(first)
      yield* theirs.commit(unit({ fence: { ...they, turn: 1 }, changes: [claim(first, they)] }))
      const { lost } = yield* mine.commit(
        unit({ fence: { ...me, turn: 1 }, changes: rows.map((row) => claim(row, me)) })
      )
      assert.deepStrictEqual(lost, [first.seq])
    }).pipe(Effect.scoped)
  )

  it.effect("a refused commit leaves what is in hand as it was", () =>
    Effect.gen(function* () {
      const driver = yield* memory
      yield* driver.commit(unit({ inserts: [insert("a")] }))
      const host = yield* driver.enlist({ identity: "{}", at: start })
      const { rows } = yield* peek(driver, start)
      const changes = rows.map((row) => claim(row, host))
      const commit = (parts: Parameters<typeof unit>[0]) =>
        driver.commit(unit({ fence: { ...host, turn: 1 }, ...parts }))
      yield* Effect.flip(commit({ changes, notes: [{ ...event({ actor: "" }), job: null }] }))
      assert.deepStrictEqual((yield* commit({ changes })).lost, [])
    }).pipe(Effect.scoped)
  )

  it.effect("a row that was pruned is gone from the hand too", () =>
    Effect.gen(function* () {
      const driver = yield* memory
      yield* driver.commit(unit({ inserts: [insert("a")] }))
      const host = yield* driver.enlist({ identity: "{}", at: start })
      const { rows } = yield* peek(driver, start)
      const commit = (turn: number, parts: Parameters<typeof unit>[0]) =>
        driver.commit(unit({ fence: { ...host, turn }, ...parts }))
      const over = rows.map((row) =>
        change(row, {
          state: "CANCELLED",
          agent_state: "tombstoned",
          owner_host: host.host,
          owner_epoch: host.epoch
        })
      )
      yield* commit(1, { changes: over })
      assert.strictEqual(yield* driver.prune({ finished_before: start + 1, limit: 9 }), 1)
      const again = rows.map((row) => change(row, {}, { version: 2 }))
      assert.strictEqual((yield* Effect.flip(commit(2, { changes: again })))._tag, "ORCH_STORE_STALE")
    }).pipe(Effect.scoped)
  )
})
