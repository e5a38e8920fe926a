/**
 * What operators want: kept until it is settled, once, whoever repeats the request (R24).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { IntentDraftRow, IntentRow } from "../../ports/StoreRows.ts"
import { allRecords, claim, enlist, rowsOf, rowsOfKind, submit, write } from "./StoreActs.ts"
import { changeRow, insertRow, intentRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

export const intents = ({ one }: StoreTests): void => {
  one("an intent is kept whole, open until it is settled, and settled once", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const [job] = yield* submit(driver, insertRow("a"))
      const drafts: ReadonlyArray<IntentDraftRow> = [
        intentRow({ kind: "cancel", job: job ?? 0, request_id: "r1", requested_at: start + 4 }),
        intentRow({ kind: "scale", host: host.row.host, value: `{"slots":4}` }),
        intentRow()
      ]
      const numbers = (yield* write(driver, { intents: drafts })).intents
      const open = drafts.map((draft, n): IntentRow =>
        Object.assign({ intent: numbers[n] ?? 0, settled_at: null, outcome: null }, draft)
      )
      assert.deepStrictEqual(yield* rowsOfKind(driver, "intents"), open)
      assert.deepStrictEqual(yield* rowsOfKind(driver, "intents", { job: job ?? 0 }), open.slice(0, 1))
      const [, changed] = open
      assert.isDefined(changed)
      const second = numbers[1] ?? 0
      yield* host.commit({ at: start + 50, settled: [{ intent: second, outcome: "scaled" }] })
      yield* host.commit({
        at: start + 60,
        settled: [
          { intent: second, outcome: "again" },
          { intent: 99, outcome: "?" }
        ]
      })
      const settled = open.with(1, { ...changed, settled_at: start + 50, outcome: "scaled" })
      assert.deepStrictEqual(yield* rowsOfKind(driver, "intents"), settled)
      assert.deepStrictEqual(
        yield* rowsOfKind(driver, "intents", { open: true }),
        settled.filter((_, n) => n !== 1)
      )
      assert.deepStrictEqual(yield* rowsOfKind(driver, "intents", { open: false }), settled)
      const page = yield* driver.records({
        kind: "intents",
        job: null,
        after: numbers[0] ?? 0,
        limit: 1,
        open: true
      })
      assert.deepStrictEqual(
        page.map(({ cursor, job: of }) => [cursor, of]),
        [[numbers[2], null]]
      )
    })
  )

  one(
    "an intent that is settled with a change stays open when the change is lost to another host",
    (driver) =>
      Effect.gen(function* () {
        const [host, other] = [yield* enlist(driver), yield* enlist(driver)]
        const [a, b] = yield* rowsOf(driver, yield* submit(driver, insertRow("a"), insertRow("b")))
        assert.isDefined(a)
        assert.isDefined(b)
        const { intents: open } = yield* write(driver, { intents: [intentRow(), intentRow(), intentRow()] })
        yield* other.commit({ changes: [claim(a, other)] })
        const { lost } = yield* host.commit({
          changes: [a, b].map((row) => changeRow(row, { run_at: start + 1 }, { contested: true })),
          settled: [
            { intent: open[0] ?? 0, outcome: "settled", job: a.seq },
            { intent: open[1] ?? 0, outcome: "settled", job: b.seq },
            { intent: open[2] ?? 0, outcome: "settled" }
          ]
        })
        assert.deepStrictEqual(lost, [a.seq])
        assert.deepStrictEqual(
          (yield* rowsOfKind(driver, "intents")).map(({ outcome }) => outcome),
          [null, "settled", "settled"]
        )
      })
  )

  one(
    "a request id that was seen is answered with the first intent, also after it is settled and in one unit (R24)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const [first = 0] = (yield* write(driver, { intents: [intentRow({ request_id: "r" })] })).intents
        const repeat = intentRow({ request_id: "r", kind: "drain", reason: "other" })
        assert.deepStrictEqual((yield* write(driver, { intents: [repeat] })).intents, [first])
        yield* host.commit({ settled: [{ intent: first, outcome: "paused" }] })
        const mixed = [
          intentRow(),
          repeat,
          intentRow({ request_id: "s" }),
          intentRow({ request_id: "s" }),
          intentRow()
        ]
        const answers = (yield* write(driver, { intents: mixed })).intents
        assert.strictEqual(answers[1], first)
        assert.strictEqual(answers[2], answers[3])
        assert.strictEqual(new Set(answers).size, 4)
        assert.deepInclude((yield* rowsOfKind(driver, "intents"))[0], { kind: "pause", outcome: "paused" })
        assert.lengthOf(yield* allRecords(driver, "intents"), 4)
      })
  )

  one("an intent is settled without a fence as well: where no host runs, a command line does it", (driver) =>
    Effect.gen(function* () {
      const [pause = 0, drain = 0] = (yield* write(driver, {
        intents: [intentRow(), intentRow({ kind: "drain" })]
      })).intents
      const resumed = yield* write(driver, {
        at: start + 9,
        intents: [intentRow({ kind: "resume" })],
        settled: [{ intent: pause, outcome: "resumed" }]
      })
      assert.deepStrictEqual(
        (yield* rowsOfKind(driver, "intents", { open: true })).map(({ intent }) => intent),
        [drain, ...resumed.intents]
      )
      assert.deepInclude((yield* rowsOfKind(driver, "intents"))[0], {
        settled_at: start + 9,
        outcome: "resumed"
      })
    })
  )

  one("a request that thirty callers repeat at once is one intent", (driver) =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 30 }, () => write(driver, { intents: [intentRow({ request_id: "r" })] })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(new Set(answers.flatMap((answer) => answer.intents)), 1)
      assert.lengthOf(yield* allRecords(driver, "intents"), 1)
    })
  )
}
