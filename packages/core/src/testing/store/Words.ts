/**
 * What a store says of itself (`vocabulary` and `codes`): words from where they stand, so that the drift gate can compare them with the
 * declared ones.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { declaredWords } from "../../model/drift/declaredWords.ts"
import { driftLine } from "../../model/drift/Drift.ts"
import { wordDrifts } from "../../model/drift/wordDrifts.ts"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import { guardedLists, wordLists } from "../../ports/StoreVocabulary.ts"
import { claimed, enlist, quarantined, rowOf, rowsOfKind, submit, waiting } from "./StoreActs.ts"
import { changeRow, insertRow, moveEvent, retryRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

/** What lies in the store, as `list: word`, sorted. */
const heldWords = (driver: StoreDriver) =>
  Effect.map(rowsOfKind(driver, "vocabulary"), (rows) =>
    Array.from(
      new Set(rows.filter(({ source }) => source === "held").map(({ list, word }) => `${list}: ${word}`))
    ).toSorted()
  )

const codeRows = (driver: StoreDriver) =>
  Effect.map(rowsOfKind(driver, "codes"), (rows) =>
    rows.map(({ code, count, place }) => `${code}: ${count} in ${place}`).toSorted()
  )

export const words = ({ one, two }: StoreTests): void => {
  one("a new store names every list that it guards, with the declared words and no others", (driver) =>
    Effect.gen(function* () {
      const rows = yield* rowsOfKind(driver, "vocabulary")
      for (const { list, place, source, word } of rows) {
        assert.include(wordLists, list)
        assert.include(["constraint", "spelling", "shared"], source, `${list} lies in a new store`)
        assert.notStrictEqual(place, "")
        // a list of core's own can't be read back from the store
        assert.strictEqual(word === null, source === "shared", `${source} of ${list}`)
      }
      const guarded = rows.filter(({ source }) => source !== "spelling").map(({ list }) => list)
      for (const list of guardedLists) assert.include(guarded, list)
      const { name } = yield* driver.open
      assert.deepStrictEqual(wordDrifts(declaredWords(), rows, name).map(driftLine), [])
      assert.deepStrictEqual(yield* codeRows(driver), [])
    })
  )

  one(
    "moves that were made are told with their states and reasons; notes and what is not there are not",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        yield* submit(driver, insertRow("a"))
        const submitted = [
          "job.move: (nothing) --submit--> PENDING",
          "job.reason: (nothing) --submit--> PENDING for submitted",
          "job.state: PENDING"
        ]
        assert.deepStrictEqual(yield* heldWords(driver), submitted)
        const row = yield* rowOf(driver, 1)
        // a note alone: nothing has moved
        yield* host.commit({ changes: [changeRow(row)] })
        assert.deepStrictEqual(yield* heldWords(driver), submitted)
        yield* claimed(host, insertRow("b"))
        assert.deepStrictEqual(yield* heldWords(driver), [
          "agent.move: (nothing) --dispatch--> dispatched",
          "agent.reason: (nothing) --dispatch--> dispatched for job_accepted",
          "agent.state: dispatched",
          "job.move: (nothing) --submit--> PENDING",
          "job.move: PENDING --validate--> VALIDATING",
          "job.move: VALIDATING --accept--> PROCESSING",
          "job.reason: (nothing) --submit--> PENDING for submitted",
          "job.reason: PENDING --validate--> VALIDATING for slot_free",
          "job.reason: VALIDATING --accept--> PROCESSING for payload_valid",
          "job.state: PENDING",
          "job.state: PROCESSING",
          "job.state: VALIDATING"
        ])
      })
  )

  one("codes are counted where they stand: in events, retries, letters and jobs", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const row = yield* claimed(host, insertRow("a"))
      const error_code = "EXT_TIMEOUT"
      const events = [moveEvent("PROCESSING", "RETRY_SCHEDULED", { error_code })]
      const state = { ...waiting(start), last_error_code: error_code }
      yield* host.commit({ changes: [changeRow(row, state, { events, retry: retryRow() })] })
      yield* quarantined(host, insertRow("b"), start)
      const [letter] = yield* rowsOfKind(driver, "letters")
      assert.deepStrictEqual(
        yield* codeRows(driver),
        [
          "EXT_TIMEOUT: 1 in events",
          "EXT_TIMEOUT: 1 in jobs",
          "EXT_TIMEOUT: 1 in retries",
          `${letter?.failure_error_code}: 1 in letters`
        ].toSorted()
      )
    })
  )

  two("another connection is told the same, page by page, and of no job anything", (first, second) =>
    Effect.gen(function* () {
      const host = yield* enlist(first)
      yield* quarantined(host, insertRow("a"), start)
      for (const kind of ["vocabulary", "codes"] as const) {
        const whole = yield* rowsOfKind(first, kind)
        assert.isNotEmpty(whole)
        assert.deepStrictEqual(yield* rowsOfKind(second, kind, { limit: 3 }), whole)
        assert.deepStrictEqual(yield* rowsOfKind(second, kind, { job: 1 }), [])
      }
    })
  )
}
