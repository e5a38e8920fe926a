/**
 * Keys: unique by constraint, also among submitters that race, and freed by a replay alone (R17, R31).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  allEvents,
  allJobs,
  claim,
  enlist,
  quarantined,
  refusesWhole,
  rowOf,
  submit,
  submitOne,
  write
} from "./StoreActs.ts"
import { changeRow, insertRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

const racing = { concurrency: "unbounded" } as const

export const keys = ({ one, two }: StoreTests): void => {
  one("keys that differ in case, spaces, a NUL or their normal form are different keys", (driver) =>
    Effect.gen(function* () {
      const names = ["key", "KEY", "key ", " key", "key\u0000", "key\u0000a", "\u00e9", "e\u0301"]
      const seqs = yield* submit(driver, ...names.map((key) => insertRow(key)))
      assert.strictEqual(new Set(seqs).size, names.length)
      assert.deepStrictEqual(yield* submit(driver, ...names.map((key) => insertRow(key))), seqs)
    })
  )

  one(
    "a duplicate is answered with number, state, due time and fingerprint, changes nothing, and its neighbours commit (R17)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const first = yield* submitOne(driver, insertRow("a", { run_at: start + 77 }))
        yield* host.commit({ changes: [claim(first, host)] })
        const before = yield* rowOf(driver, first.seq)
        const { inserted, sequence } = yield* write(driver, {
          inserts: [
            insertRow("b"),
            insertRow("a", { payload: `"other"`, payload_fingerprint: "other", priority: 9, run_at: 1 }),
            insertRow("c")
          ]
        })
        assert.deepStrictEqual(inserted, [
          { duplicate: false, seq: 2 },
          {
            duplicate: true,
            seq: 1,
            state: "PROCESSING",
            run_at: start + 77,
            payload_fingerprint: "print of a"
          },
          { duplicate: false, seq: 3 }
        ])
        assert.deepStrictEqual(yield* rowOf(driver, first.seq), before)
        const events = yield* allEvents(driver)
        assert.deepStrictEqual(
          events.filter(({ event }) => event === "submit").map(({ job }) => job),
          [1, 2, 3]
        )
        assert.strictEqual(events.at(-1)?.sequence, sequence)
      })
  )

  one("of two inserts of one key in one unit the second is the duplicate", (driver) =>
    Effect.gen(function* () {
      const twins = [insertRow("a"), insertRow("a", { workflow_type: "audit" }), insertRow("a")]
      const { inserted } = yield* write(driver, { inserts: twins })
      assert.deepStrictEqual(
        inserted.map(({ duplicate, seq }) => [duplicate, seq]),
        [
          [false, 1],
          [false, 2],
          [true, 1]
        ]
      )
      assert.lengthOf(yield* allEvents(driver), 2)
    })
  )

  one("fifty racing submits of one key make one job and fifty equal answers (R17)", (driver) =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => write(driver, { inserts: [insertRow("a")] })),
        racing
      )
      assert.deepStrictEqual(
        answers.map(({ inserted }) => inserted[0]?.seq),
        Array.from({ length: 50 }, () => 1)
      )
      assert.lengthOf(
        answers.filter(({ inserted }) => inserted[0]?.duplicate === false),
        1
      )
      assert.lengthOf(yield* allJobs(driver), 1)
      assert.lengthOf(yield* allEvents(driver), 1)
    })
  )

  two("fifty racing submits over two connections make one job a key", (first, second) =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, (_, n) =>
          write(n % 2 === 0 ? first : second, { inserts: [insertRow("a"), insertRow(`b${n % 5}`)] })
        ),
        racing
      )
      const seqs = new Set(answers.flatMap(({ inserted }) => inserted.map(({ seq }) => seq)))
      assert.strictEqual(seqs.size, 6)
      const fresh = answers.flatMap(({ inserted }) => inserted.filter(({ duplicate }) => !duplicate))
      assert.lengthOf(fresh, 6)
      assert.deepStrictEqual(yield* allJobs(second), yield* allJobs(first))
      assert.lengthOf(yield* allEvents(first), 6)
    })
  )

  one(
    "an over job keeps its key; only a replay frees it, and then the key answers with the newest of the chain (R17)",
    (driver) =>
      Effect.gen(function* () {
        const host = yield* enlist(driver)
        const a = yield* quarantined(host, insertRow("a"), start)
        const late = yield* write(driver, { inserts: [insertRow("a")] })
        assert.deepInclude(late.inserted[0], { duplicate: true, seq: a.seq, state: "DEAD_LETTERED" })

        const [b] = yield* submit(driver, insertRow("a", { supersedes: a.seq }))
        assert.deepStrictEqual(yield* rowOf(driver, a.seq), { ...a, superseded_by: b ?? null })
        const [c] = yield* submit(driver, insertRow("a", { supersedes: b ?? 0 }))
        assert.deepStrictEqual([b, c], [2, 3])
        const { rows } = yield* driver.jobs({ by: "key", workflow_type: "review", idempotency_key: "a" })
        assert.deepStrictEqual(
          rows.map(({ seq, replay_of }) => [seq, replay_of]),
          [[3, 2]]
        )
        assert.deepStrictEqual(yield* submit(driver, insertRow("a")), [3])
      })
  )

  one("a second replay of one job is the first one's duplicate, also when fifty race (R31)", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const a = yield* quarantined(host, insertRow("a"), start)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => submit(driver, insertRow("a", { supersedes: a.seq }))),
        racing
      )
      assert.deepStrictEqual(new Set(answers.flat()), new Set([2]))
      assert.lengthOf(yield* allJobs(driver), 2)
    })
  )

  one("a replay takes the key without moving a job that its host still cleans up behind", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const row = yield* submitOne(driver, insertRow("a"))
      yield* host.commit({ changes: [claim(row, host)] })
      const closing = { state: "CANCELLED", agent_state: "abandoned", standing: "closing", phase: "archive" }
      yield* host.commit({ changes: [changeRow(yield* rowOf(driver, 1), closing)] })
      const held = yield* rowOf(driver, 1)
      yield* submit(driver, insertRow("a", { supersedes: 1 }))
      yield* host.commit({
        changes: [changeRow(held, { agent_state: "tombstoned", standing: null, phase: null })]
      })
      const after = yield* rowOf(driver, 1)
      assert.deepStrictEqual([after.superseded_by, after.agent_state], [2, "tombstoned"])
      assert.deepStrictEqual(yield* submit(driver, insertRow("a")), [2])
    })
  )

  one("a replay of an unknown job, or under another key, is refused whole", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      yield* quarantined(host, insertRow("a"), start)
      for (const wrong of [
        insertRow("a", { supersedes: 99 }),
        insertRow("b", { supersedes: 1 }),
        insertRow("a", { supersedes: 1, workflow_type: "audit" })
      ])
        yield* refusesWhole(
          driver,
          "ORCH_STORE_BROKEN",
          write(driver, { inserts: [insertRow("neighbour"), wrong] })
        )
    })
  )
}
