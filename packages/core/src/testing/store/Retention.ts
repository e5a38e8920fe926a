/**
 * Forgetting: finished jobs go with all that belongs to them, oldest first, and nothing that may still be needed goes.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import type { JobStateRow, LetterRow } from "../../ports/StoreRows.ts"
import {
  allEvents,
  allJobs,
  allRecords,
  claimed,
  completed,
  enlist,
  heldBy,
  look,
  over,
  quarantined,
  rowOf,
  rowsOf,
  submit,
  submitOne,
  waiting,
  write
} from "./StoreActs.ts"
import {
  changeRow,
  eventRow,
  insertRow,
  intentRow,
  letterRow,
  markerRow,
  retryRow,
  start
} from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"
import { counted, counts } from "./Tally.ts"

const kept = (driver: StoreDriver) =>
  Effect.map(allJobs(driver), (rows) => rows.map((row) => row.idempotency_key).join(" "))

const forget = (driver: StoreDriver, limit = 100, finished_before = start + 1000) =>
  driver.prune({ finished_before, limit })

export const retention = ({ one }: StoreTests): void => {
  one(
    "the oldest finished jobs go first, at most as many as asked, and those before the instant alone",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        for (const [key, at] of [
          ["c", 30],
          ["a", 10],
          ["e", 50],
          ["b", 20],
          ["d", 40]
        ] as const)
          yield* completed(host, insertRow(key), start + at)
        assert.strictEqual(yield* forget(driver, 2), 2)
        assert.strictEqual(yield* kept(driver), "c e d")
        assert.strictEqual(yield* forget(driver, 9, start + 40), 1)
        assert.strictEqual(yield* kept(driver), "e d")
        assert.strictEqual(yield* forget(driver, 9, start + 40), 0)
        assert.strictEqual(yield* forget(driver), 2)
        assert.strictEqual(yield* forget(driver), 0)
        assert.strictEqual(yield* kept(driver), "")
      })
  )

  one("a rehearsal says how many would go, and none goes", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      for (const [key, at] of [
        ["a", 10],
        ["b", 20],
        ["c", 30]
      ] as const)
        yield* completed(host, insertRow(key), start + at)
      yield* quarantined(host, insertRow("letter"), start)
      const before = yield* look(driver)
      const rehearse = (limit: number) => driver.prune({ finished_before: start + 25, limit, dry_run: true })
      assert.deepStrictEqual([yield* rehearse(9), yield* rehearse(1)], [2, 1])
      assert.deepStrictEqual(yield* look(driver), before)
    })
  )

  one("of named jobs, those alone go that may", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      for (const key of ["a", "b", "c"]) yield* completed(host, insertRow(key), start)
      const letter = yield* quarantined(host, insertRow("letter"), start)
      yield* submit(driver, insertRow("waits"))
      const forgetOf = (...jobs: ReadonlyArray<number>) =>
        driver.prune({ finished_before: start + 1000, limit: 9, jobs })
      assert.strictEqual(yield* forgetOf(), 0)
      assert.strictEqual(yield* forgetOf(3, 1, letter.seq, 5, 99), 2)
      assert.strictEqual(yield* kept(driver), "b letter waits")
      assert.deepStrictEqual(yield* counts(driver), yield* counted(driver))
    })
  )

  one("a job that isn't over, or whose agent isn't tombstoned, stays", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const stays: Record<string, Partial<JobStateRow>> = {
        pending: {},
        running: heldBy(host),
        retrying: waiting(start),
        landed: { ...over("COMPLETED", start), agent_state: "landed", disposition: null },
        closing: {
          ...over("FAILED", start),
          agent_state: "abandoned",
          standing: "closing",
          disposition: null
        },
        "being cleaned": { ...heldBy(host), state: "COMPLETED", agent_state: "landed", phase: "clean" }
      }
      const goes: Record<string, Partial<JobStateRow>> = {
        completed: over("COMPLETED", start),
        failed: over("FAILED", start),
        cancelled: over("CANCELLED", start),
        "never started": { state: "CANCELLED" }
      }
      const states = { ...goes, ...stays }
      const rows = yield* rowsOf(
        driver,
        yield* submit(driver, ...Object.keys(states).map((key) => insertRow(key)))
      )
      yield* host.commit({ changes: rows.map((row) => changeRow(row, states[row.idempotency_key])) })
      assert.strictEqual(yield* forget(driver), 4)
      assert.strictEqual(yield* kept(driver), Object.keys(stays).join(" "))
    })
  )

  one("all that belongs to a job goes with it, nothing of its neighbours, and counts follow", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const end = Effect.fnUntraced(function* (key: string, at: number) {
        const row = yield* claimed(host, insertRow(key))
        const letter = letterRow({ replay_eligible: 0 })
        const belongings = { retry: retryRow(), letter, markers: [markerRow("m")], result: "1" }
        yield* host.commit({
          changes: [changeRow(row, over("COMPLETED", at), belongings)],
          notes: [{ ...eventRow({ event: `note of ${key}` }), job: row.seq }],
          intents: [intentRow({ kind: "cancel", job: row.seq })]
        })
        return row.seq
      })
      const [gone, stays] = [yield* end("gone", start), yield* end("stays", start + 2000)]
      yield* host.commit({
        notes: [{ ...eventRow({ subject_kind: "host" }), job: null }],
        intents: [intentRow()],
        bank: "{}"
      })
      const before = yield* look(driver)
      assert.strictEqual(yield* forget(driver), 1)
      const after = yield* look(driver)
      assert.deepStrictEqual(after.jobs, [yield* rowOf(driver, stays)])
      assert.deepStrictEqual(
        after.events,
        before.events.filter(({ job }) => job !== gone)
      )
      assert.deepStrictEqual(
        after.records,
        before.records.map((kind) => kind.filter(({ job }) => job !== gone))
      )
      assert.deepStrictEqual([after.tally.letters, after.tally.sequence], [1, before.tally.sequence])
      assert.deepStrictEqual(yield* counts(driver), yield* counted(driver))
      assert.deepStrictEqual(yield* allEvents(driver, gone), [])
      const byKey = yield* driver.jobs({ by: "key", workflow_type: "review", idempotency_key: "gone" })
      const bySeq = yield* driver.jobs({ by: "seq", seqs: [gone], bodies: true })
      assert.deepStrictEqual([byKey.rows, bySeq.rows], [[], []])
    })
  )

  one("no number is used again: not of a job, nor of an event, nor of an intent", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const row = yield* completed(host, insertRow("a"), start)
      const cancel = intentRow({ kind: "cancel", job: row.seq, request_id: "r" })
      const [intent] = (yield* write(driver, { intents: [cancel] })).intents
      const { sequence } = yield* driver.tally({ now: start })
      assert.strictEqual(yield* forget(driver), 1)
      assert.deepStrictEqual([yield* allEvents(driver), yield* allRecords(driver, "intents")], [[], []])
      assert.strictEqual((yield* host.commit({})).sequence, sequence)
      const again = yield* submitOne(driver, insertRow("a"))
      assert.strictEqual(again.seq, row.seq + 1)
      assert.deepStrictEqual(
        (yield* allEvents(driver)).map((event) => event.sequence),
        [sequence + 1]
      )
      const next = (yield* write(driver, { intents: [intentRow({ request_id: "r" })] })).intents
      assert.isAbove(next[0] ?? 0, intent ?? 0)
      assert.lengthOf(yield* allRecords(driver, "intents"), 1)
    })
  )

  one("a letter that may be replayed keeps its job for ever; one that may not, doesn't (R31)", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      yield* quarantined(host, insertRow("forbidden"), start, letterRow({ replay_eligible: 0 }))
      const allowed = yield* quarantined(host, insertRow("allowed"), start)
      assert.strictEqual(yield* forget(driver), 1)
      assert.strictEqual(yield* kept(driver), "allowed")
      yield* write(driver, {
        changes: [changeRow(allowed, { updated_at: start }, { letter: letterRow({ replay_eligible: 0 }) })]
      })
      assert.strictEqual(yield* forget(driver), 1)
      assert.strictEqual(yield* kept(driver), "")
      const discarded = yield* quarantined(host, insertRow("discarded"), start)
      assert.strictEqual(yield* forget(driver), 0)
      yield* write(driver, {
        changes: [changeRow(discarded, {}, { letter: letterRow({ discarded_at: start }) })]
      })
      assert.strictEqual(yield* forget(driver), 1)
      assert.strictEqual((yield* driver.tally({ now: start })).letters, 0)
    })
  )

  one(
    "a replayed job stays while a later one of its chain has to stay, for a replay reads the markers before it (R31)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const first = yield* quarantined(host, insertRow("a"), start)
        const end = Effect.fnUntraced(function* (seq: number, at: number, letter: LetterRow | null = null) {
          const row = yield* rowOf(driver, seq)
          const state = { state: letter === null ? "CANCELLED" : "DEAD_LETTERED", updated_at: at }
          yield* write(driver, { changes: [changeRow(row, state, { letter })] })
        })
        yield* submit(driver, insertRow("a", { supersedes: first.seq }))
        assert.strictEqual(yield* forget(driver), 0, "its replay waits")
        yield* end(2, start)
        yield* submit(driver, insertRow("a", { supersedes: 2 }))
        assert.strictEqual(yield* forget(driver), 0, "the replay of its replay waits")
        yield* end(3, start, letterRow())
        assert.strictEqual(yield* forget(driver), 0, "and may be replayed")
        yield* end(3, start + 5000, letterRow({ replay_eligible: 0 }))
        assert.strictEqual(yield* forget(driver), 0, "and is too young")
        assert.strictEqual(yield* forget(driver, 9, start + 6000), 3)
        assert.strictEqual(yield* kept(driver), "")
      })
  )
}
