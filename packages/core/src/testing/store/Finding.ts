/**
 * Finding jobs by pages and agents by what adoption and recovery ask for.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { StoreDriver } from "../../ports/StoreDriver.ts"
import { allJobs, claimed, enlist, heldBy, rowOf, rowsOf, submit, waiting } from "./StoreActs.ts"
import { changeRow, insertRow, start } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

export const finding = ({ one }: StoreTests): void => {
  one("jobs come in pages, of all, of one state, of one workflow, or of both", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      for (let n = 0; n < 12; n++) {
        const insert = insertRow(`${n}`, { workflow_type: n % 2 === 0 ? "even" : "odd" })
        yield* n % 3 === 0 ? claimed(host, insert) : submit(driver, insert)
      }
      const page = (state: string | null, workflow: string | null, after = 0, limit = 100) =>
        Effect.map(driver.jobs({ by: "page", state, workflow, after, limit }), ({ next_due, rows }) => {
          assert.isNull(next_due)
          return rows.map(({ seq }) => seq).join(" ")
        })
      assert.strictEqual(yield* page(null, null), "1 2 3 4 5 6 7 8 9 10 11 12")
      assert.strictEqual(yield* page(null, null, 4, 3), "5 6 7")
      assert.strictEqual(yield* page("PROCESSING", null), "1 4 7 10")
      assert.strictEqual(yield* page("PROCESSING", null, 4, 1), "7")
      assert.strictEqual(yield* page(null, "odd", 2, 2), "4 6")
      assert.strictEqual(yield* page("PENDING", "even", 3), "5 9 11")
      assert.strictEqual(yield* page("COMPLETED", null), "")
      assert.strictEqual(yield* page(null, null, 12), "")
      assert.lengthOf(yield* allJobs(driver), 12)
    })
  )

  one("agents are found by owner, by state, and by what adoption looks for", (driver) =>
    Effect.gen(function* () {
      const [host, other] = [yield* enlist(driver), yield* enlist(driver)]
      const states = {
        working: heldBy(host),
        dispatched: { ...heldBy(host), agent_state: "dispatched" },
        theirs: heldBy(other),
        "landed, owned": { ...heldBy(host), state: "COMPLETED", agent_state: "landed" },
        "landed, free": { ...waiting(start), state: "COMPLETED", agent_state: "landed", standing: null },
        "closing, free": { ...waiting(start), state: "FAILED", standing: "closing" },
        "closing, owned": { ...heldBy(host), state: "FAILED", agent_state: "abandoned", standing: "closing" },
        waiting: waiting(start)
      }
      const names = Object.keys(states)
      const rows = yield* rowsOf(
        driver,
        yield* submit(driver, ...names.map((name) => insertRow(name)), insertRow("none"))
      )
      for (const committer of [host, other])
        yield* committer.commit({
          changes: Object.values(states).flatMap((state, n) => {
            const row = rows[n]
            return row !== undefined && ("theirs" === names[n]) === (committer === other)
              ? [changeRow(row, state)]
              : []
          })
        })
      const found = (...query: Parameters<StoreDriver["agents"]>) =>
        Effect.map(driver.agents(...query), (agents) => agents.map((row) => row.idempotency_key))
      const { epoch, host: number } = host.row
      assert.deepStrictEqual(yield* found({ by: "owner", host: number, epoch }), [
        "working",
        "dispatched",
        "landed, owned",
        "closing, owned"
      ])
      assert.deepStrictEqual(yield* found({ by: "owner", host: other.row.host, epoch: other.row.epoch }), [
        "theirs"
      ])
      assert.deepStrictEqual(yield* found({ by: "owner", host: number, epoch: other.row.epoch }), [])
      assert.deepStrictEqual(
        yield* found({ by: "state", states: ["working", "landed"], after: 0, limit: 9 }),
        ["working", "theirs", "landed, owned", "landed, free"]
      )
      assert.deepStrictEqual(
        yield* found({ by: "state", states: ["working", "landed"], after: 1, limit: 2 }),
        ["theirs", "landed, owned"]
      )
      assert.deepStrictEqual(yield* found({ by: "state", states: ["tombstoned"], after: 0, limit: 9 }), [])
      assert.deepStrictEqual(yield* found({ by: "orphaned", after: 0, limit: 9 }), [
        "landed, free",
        "closing, free"
      ])
      assert.deepStrictEqual(yield* found({ by: "orphaned", after: 5, limit: 9 }), ["closing, free"])
      const [row] = yield* driver.agents({ by: "orphaned", after: 0, limit: 1 })
      assert.deepStrictEqual(row, { ...(yield* rowOf(driver, 5)), payload: null })
      yield* driver.fence({
        host: other.row.host,
        epoch: other.row.epoch,
        beat: null,
        as: "fenced",
        at: start
      })
      const orphans = ["theirs", "landed, free", "closing, free"]
      assert.deepStrictEqual(yield* found({ by: "orphaned", after: 0, limit: 9 }), orphans)
      yield* driver.fence({ host: number, epoch, beat: null, as: "stopped", at: start })
      assert.deepStrictEqual(yield* found({ by: "orphaned", after: 0, limit: 9 }), names.slice(0, -1))
      assert.deepStrictEqual(yield* found({ by: "orphaned", after: 1, limit: 2 }), names.slice(1, 3))
    })
  )
}
