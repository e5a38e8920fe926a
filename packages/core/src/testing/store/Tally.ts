/**
 * The counts that are kept, and the token that tells of changes (R13, R14).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import {
  allJobs,
  claim,
  claimed,
  completed,
  enlist,
  quarantined,
  refuses,
  rowOf,
  submit,
  submitOne,
  waiting,
  write
} from "./StoreActs.ts"
import { changeRow, insertRow, letterRow, start, submitted } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

/** The tally's counts as `workflow state: n`, sorted, without those that are 0. */
export const counts = (driver: StoreDriver) =>
  Effect.map(driver.tally({ now: start }), ({ jobs }) =>
    jobs
      .filter(({ count }) => count !== 0)
      .map(({ count, state, workflow_type }) => `${workflow_type} ${state}: ${count}`)
      .toSorted()
  )

/** The same by counting every row. */
export const counted = (driver: StoreDriver) =>
  Effect.map(allJobs(driver), (rows) => {
    const found = new Map<string, number>()
    for (const { state, workflow_type } of rows) {
      const name = `${workflow_type} ${state}`
      found.set(name, (found.get(name) ?? 0) + 1)
    }
    return Array.from(found, ([name, count]) => `${name}: ${count}`).toSorted()
  })

export const tallying = ({ one, two }: StoreTests): void => {
  one(
    "counts follow every move, by workflow and state; refused, lost and duplicate ones don't count (R16)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const { bytes, ...empty } = yield* driver.tally({ now: start })
        assert.deepStrictEqual(empty, {
          jobs: [],
          oldest_ready: null,
          sequence: 0,
          letters: 0,
          parked: 0,
          messages: 0
        })
        assert.isTrue(bytes === null || bytes >= 0)
        const audits = { workflow_type: "audit" }
        yield* submit(driver, insertRow("a"), insertRow("b"), insertRow("c", audits), insertRow("a"))
        assert.deepStrictEqual(yield* counts(driver), ["audit PENDING: 1", "review PENDING: 2"])
        const a = yield* rowOf(driver, 1)
        yield* host.commit({ changes: [claim(a, host), claim(yield* rowOf(driver, 3), host)] })
        yield* host.commit({ changes: [claim(a, host)] })
        yield* refuses("ORCH_STORE_STALE", host.commit({ changes: [changeRow(a, { state: "CANCELLED" })] }))
        yield* refuses(
          "ORCH_STORE_BROKEN",
          write(driver, { inserts: [insertRow("d"), insertRow("e", { events: [submitted({ actor: "" })] })] })
        )
        assert.deepStrictEqual(yield* counts(driver), [
          "audit PROCESSING: 1",
          "review PENDING: 1",
          "review PROCESSING: 1"
        ])
        yield* host.commit({ changes: [changeRow(yield* rowOf(driver, 1), waiting(start))] })
        yield* completed(host, insertRow("f", audits), start)
        assert.deepStrictEqual(yield* counts(driver), [
          "audit COMPLETED: 1",
          "audit PROCESSING: 1",
          "review PENDING: 1",
          "review RETRY_SCHEDULED: 1"
        ])
        assert.deepStrictEqual(yield* counts(driver), yield* counted(driver))
      })
  )

  one("letters are counted until they are replayed or forgotten, and a replaced one once", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const letters = Effect.map(driver.tally({ now: start }), (tally) => tally.letters)
      const a = yield* quarantined(host, insertRow("a"), start)
      yield* quarantined(host, insertRow("b"), start, letterRow({ replay_eligible: 0 }))
      assert.strictEqual(yield* letters, 2)
      yield* host.commit({ changes: [changeRow(a, {}, { letter: letterRow({ failure_summary: "again" }) })] })
      assert.strictEqual(yield* letters, 2)
      yield* submit(driver, insertRow("a", { supersedes: a.seq }))
      assert.strictEqual(yield* letters, 1)
      yield* submit(driver, insertRow("a", { supersedes: a.seq }))
      assert.strictEqual(yield* letters, 1)
      assert.strictEqual(yield* driver.prune({ finished_before: start + 1, limit: 9 }), 1)
      assert.strictEqual(yield* letters, 0)
    })
  )

  one(
    "parked jobs are counted until they are settled or forgotten, and refused ones are not (R28)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const parked = Effect.map(driver.tally({ now: start }), (tally) => tally.parked)
        const [a, b] = [yield* claimed(host, insertRow("a")), yield* claimed(host, insertRow("b"))]
        const hold = { ...waiting(start), hold: "{}" }
        yield* host.commit({ changes: [changeRow(a, hold), changeRow(b, hold)] })
        assert.strictEqual(yield* parked, 2)
        yield* refuses("ORCH_STORE_STALE", write(driver, { changes: [changeRow(a, { hold: null })] }))
        yield* write(driver, { changes: [changeRow(yield* rowOf(driver, a.seq), { retry_count: 1 })] })
        assert.strictEqual(yield* parked, 2)
        yield* write(driver, { changes: [changeRow(yield* rowOf(driver, a.seq), { hold: null })] })
        assert.strictEqual(yield* parked, 1)
        const over = { state: "CANCELLED", agent_state: "tombstoned", standing: null, hold: null }
        yield* write(driver, { changes: [changeRow(yield* rowOf(driver, b.seq), over)] })
        assert.strictEqual(yield* parked, 0)
      })
  )

  one("oldest_ready is the smallest run_at of the jobs that are runnable and due", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const oldest = (now: number) => Effect.map(driver.tally({ now }), ({ oldest_ready }) => oldest_ready)
      const held = yield* claimed(host, insertRow("held", { run_at: 1 }))
      yield* submit(
        driver,
        insertRow("high", { priority: 9, run_at: start - 5 }),
        insertRow("low", { priority: -9, run_at: start - 50, workflow_type: "audit" }),
        insertRow("future", { run_at: start + 5 })
      )
      assert.strictEqual(yield* oldest(start), start - 50)
      assert.strictEqual(yield* oldest(start - 50), start - 50)
      assert.strictEqual(yield* oldest(start - 51), null)
      yield* host.commit({ changes: [claim(yield* rowOf(driver, 3), host)] })
      assert.strictEqual(yield* oldest(start + 9), start - 5)
      yield* host.commit({ changes: [claim(yield* rowOf(driver, 2), host)] })
      assert.strictEqual(yield* oldest(start), null)
      assert.strictEqual(yield* oldest(start + 5), start + 5)
      yield* host.commit({ changes: [changeRow(held, waiting(start - 70))] })
      assert.strictEqual(yield* oldest(start), start - 70)
    })
  )

  one("the token stays while nobody writes", (driver) =>
    Effect.gen(function* () {
      yield* submit(driver, insertRow("a"))
      const token = yield* driver.changed
      yield* driver.jobs({ by: "ready", workflows: ["review"], now: start, limit: 1 })
      yield* driver.tally({ now: start })
      assert.strictEqual(yield* driver.changed, token)
    })
  )

  two("the token differs after each commit of another connection (R14)", (first, second) =>
    Effect.gen(function* () {
      const host = yield* enlist(second)
      const tokens = [yield* first.changed]
      assert.strictEqual(yield* first.changed, tokens[0])
      const observe = Effect.map(first.changed, (token) => {
        assert.notStrictEqual(token, tokens.at(-1))
        tokens.push(token)
      })
      const row = yield* submitOne(second, insertRow("a"))
      yield* observe
      yield* host.commit({ changes: [claim(row, host)] })
      yield* observe
      yield* host.commit({ bank: "{}" })
      yield* observe
      yield* second.fence({
        host: host.row.host,
        epoch: host.row.epoch,
        beat: null,
        as: "stopped",
        at: start
      })
      yield* observe
      assert.strictEqual(yield* first.changed, tokens.at(-1))
    })
  )
}
