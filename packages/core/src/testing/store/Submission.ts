/**
 * Submitting: what was given is read back whole.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { JobWithBodiesRow } from "../../ports/StoreRows.ts"
import { allEvents, allJobs, completed, enlist, rowOf, submit, submitOne, write } from "./StoreActs.ts"
import { changeRow, insertRow, start, submitted } from "./StoreRowsFixture.ts"
import type { StoreTests } from "./StoreUnderTest.ts"

/** Text that a careless driver cuts, folds or quotes wrongly. */
const awkward = `nul \u0000 quote ' " \` back \\ é ü 漢字 🦑\u200d🔥 ; -- $1 ? :a @b %s \r\n\t`

export const submission = ({ one }: StoreTests): void => {
  one("a new job is read back with every column, in PENDING, version 1, without an agent", (driver) =>
    Effect.gen(function* () {
      const insert = insertRow("all columns", {
        workflow_type: "audit",
        payload_fingerprint: "f".repeat(64),
        priority: -7,
        created_at: start + 1,
        max_retries: 9,
        correlation_id: "corr-1",
        trace_context: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        run_at: start + 5000,
        payload: `{"path":"README.md"}`
      })
      const row = yield* submitOne(driver, insert)
      const expected: JobWithBodiesRow = {
        ...insert.origin,
        seq: row.seq,
        version: 1,
        superseded_by: null,
        state: "PENDING",
        run_at: start + 5000,
        updated_at: start + 1,
        retry_count: 0,
        last_error_code: null,
        hold: null,
        agent_state: null,
        incarnation: 0,
        owner_host: null,
        owner_epoch: null,
        standing: null,
        phase: null,
        hung: 0,
        restarts: null,
        steps: null,
        workspace: null,
        disposition: null,
        payload: `{"path":"README.md"}`,
        result: null
      }
      assert.deepStrictEqual(row, expected)
      const key = yield* driver.jobs({ by: "key", workflow_type: "audit", idempotency_key: "all columns" })
      assert.deepStrictEqual(key.rows, [{ ...expected, payload: null }])
    })
  )

  one("jobs are numbered from 1 in order of arrival, and answered in the order asked", (driver) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* submit(driver, insertRow("a"), insertRow("b"), insertRow("c")), [1, 2, 3])
      assert.deepStrictEqual(yield* submit(driver, insertRow("d"), insertRow("b"), insertRow("e")), [4, 2, 5])
      assert.deepStrictEqual(
        (yield* allJobs(driver)).map((row) => row.idempotency_key),
        ["a", "b", "c", "d", "e"]
      )
    })
  )

  one("an unknown number, key or workflow finds nothing", (driver) =>
    Effect.gen(function* () {
      const [seq] = yield* submit(driver, insertRow("a"))
      const unknown = yield* driver.jobs({ by: "seq", seqs: [99, seq ?? 0, 98], bodies: false })
      assert.deepStrictEqual(
        unknown.rows.map((row) => row.seq),
        [1]
      )
      for (const [workflow_type, idempotency_key] of [
        ["review", "b"],
        ["audit", "a"]
      ] as const)
        assert.deepStrictEqual((yield* driver.jobs({ by: "key", workflow_type, idempotency_key })).rows, [])
    })
  )

  one("bodies come only where they are asked for", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver)
      const row = yield* completed(host, insertRow("a"), start)
      assert.deepStrictEqual([row.payload, row.result], [`{"key":"a"}`, `"done"`])
      const bare = yield* driver.jobs({ by: "seq", seqs: [row.seq], bodies: false })
      const page = yield* driver.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 9 })
      for (const found of [...bare.rows, ...page.rows])
        assert.deepStrictEqual(found, { ...row, payload: null, result: null })
      assert.lengthOf([...bare.rows, ...page.rows], 2)
    })
  )

  one("bodies of a mebibyte and text with NUL, quotes and emoji survive", (driver) =>
    Effect.gen(function* () {
      const host = yield* enlist(driver, awkward)
      const body = JSON.stringify("é🦑 ".repeat(150_000))
      assert.isAbove(new TextEncoder().encode(body).length, 1024 * 1024)
      const pending = yield* submitOne(
        driver,
        insertRow(awkward, {
          workflow_type: awkward,
          payload_fingerprint: awkward,
          correlation_id: awkward,
          trace_context: awkward,
          payload: body,
          events: [submitted({ transition_reason: awkward, actor: awkward, detail: awkward })]
        })
      )
      yield* host.commit({
        changes: [changeRow(pending, { workspace: awkward, restarts: body, steps: body }, { result: body })]
      })
      const row = yield* rowOf(driver, pending.seq)
      for (const text of [
        row.idempotency_key,
        row.workflow_type,
        row.payload_fingerprint,
        row.correlation_id,
        row.trace_context,
        row.workspace
      ])
        assert.strictEqual(text, awkward)
      for (const text of [row.payload, row.result, row.restarts, row.steps]) assert.isTrue(text === body)
      const [event] = yield* allEvents(driver)
      for (const text of [event?.transition_reason, event?.actor, event?.detail, event?.correlation_id])
        assert.strictEqual(text, awkward)
      const ready = yield* driver.jobs({ by: "ready", workflows: [awkward], now: start, limit: 1 })
      assert.isTrue(ready.rows[0]?.payload === body)
      const again = yield* write(driver, { inserts: [insertRow(awkward, { workflow_type: awkward })] })
      assert.deepInclude(again.inserted[0], { duplicate: true, seq: row.seq, payload_fingerprint: awkward })
    })
  )
}
