/**
 * Moving: every change is a compare-and-swap on its row's version, and a unit happens whole or not at all (R8).
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { JobWithBodiesRow } from "../../ports/StoreRows.ts"
import {
  claim,
  claimed,
  completed,
  enlist,
  refusesWhole,
  rowOf,
  rowsOf,
  submit,
  waiting
} from "./StoreActs.ts"
import { changeRow, eventRow, insertRow, intentRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

export const movement = ({ one }: StoreTests): void => {
  one("a change writes every column, raises the version by one, and touches no other job", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const [a, b] = yield* rowsOf(driver, yield* submit(driver, insertRow("a"), insertRow("b")))
      assert.isDefined(a)
      const state = {
        state: "PROCESSING",
        run_at: start + 1,
        updated_at: start + 2,
        retry_count: 3,
        last_error_code: "EXT_TIMEOUT",
        hold: `{"markers":["pay"]}`,
        agent_state: "abandoned",
        incarnation: 4,
        owner_host: host.row.host,
        owner_epoch: host.row.epoch,
        standing: "ending",
        phase: "work",
        hung: 1,
        restarts: `[1,2]`,
        steps: `["pay"]`,
        workspace: `{"path":"/w"}`,
        disposition: "discarded"
      }
      yield* host.commit({ changes: [changeRow(a, state, { result: `{"ok":true}` })] })
      const expected: JobWithBodiesRow = { ...a, ...state, version: 2, result: `{"ok":true}` }
      assert.deepStrictEqual(yield* rowsOf(driver, [1, 2]), [expected, b])
      const back = {
        ...waiting(start),
        retry_count: 0,
        last_error_code: null,
        hold: null,
        hung: 0,
        restarts: null,
        steps: null,
        workspace: null,
        disposition: null
      }
      yield* host.commit({ changes: [changeRow(expected, back)] })
      assert.deepStrictEqual(yield* rowOf(driver, 1), { ...expected, ...back, version: 3 })
    })
  )

  one("a stale version alone refuses the whole unit, its neighbours and events included (R8)", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const old = yield* claimed(host, insertRow("a"))
      const other = yield* claimed(host, insertRow("b"))
      yield* host.commit({ changes: [changeRow(old, { retry_count: 1 })] })
      for (const version of [old.version, old.version + 2]) {
        yield* refusesWhole(
          driver,
          "ORCH_STORE_STALE",
          host.commit({
            inserts: [insertRow("c")],
            changes: [changeRow(other, { retry_count: 2 }), changeRow(old, { retry_count: 7 }, { version })],
            notes: [{ ...eventRow(), job: null }],
            intents: [intentRow()],
            bank: "{}"
          })
        )
      }
      const current = yield* rowOf(driver, old.seq)
      yield* host.commit({ changes: [changeRow(current, { retry_count: 7 })] })
      assert.strictEqual((yield* rowOf(driver, old.seq)).retry_count, 7)
    })
  )

  one("a name that no table has is refused by the store itself", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const row = yield* claimed(host, insertRow("a"))
      for (const state of [
        { state: "DONE" },
        { state: "processing" },
        { state: "" },
        { agent_state: "sleeping" },
        { agent_state: "PROCESSING" },
        { agent_state: "" }
      ])
        yield* refusesWhole(driver, "ORCH_STORE_BROKEN", host.commit({ changes: [changeRow(row, state)] }))
    })
  )

  one("a job has one result: a second one is refused", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const row = yield* completed(host, insertRow("a"), start)
      const again = host.commit({ changes: [changeRow(row, {}, { result: `"twice"` })] })
      yield* refusesWhole(driver, "ORCH_STORE_BROKEN", again)
    })
  )

  one("a thousand changes with their events go in one commit", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const names = Array.from({ length: 1000 }, (_, n) => `job ${n}`)
      const seqs = yield* submit(driver, ...names.map((name) => insertRow(name)))
      const { sequence } = yield* host.commit({
        changes: (yield* rowsOf(driver, seqs)).map((row) => claim(row, host))
      })
      assert.strictEqual(sequence, 4000)
      const rows = yield* rowsOf(driver, seqs)
      assert.isTrue(rows.every((row, n) => row.idempotency_key === names[n] && row.version === 2))
      const owned = yield* driver.agents({ by: "owner", host: host.row.host, epoch: host.row.epoch })
      assert.deepStrictEqual(
        owned.map(({ seq }) => seq),
        seqs
      )
      const { lost } = yield* host.commit({ changes: rows.map((row) => changeRow(row, waiting(start))) })
      assert.deepStrictEqual(lost, [])
    })
  )
}
