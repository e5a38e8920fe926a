// The store among processes: one that is killed in the middle of its commits, and one that holds the lock.
import { once } from "node:events"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { JobMachine } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { child, nextLine } from "./child/Child.ts"
import { insert, start, storePath, unit } from "./child/StoreFixture.ts"

/** What must be true of any store, asked of the tables themselves. */
const checkWhole = (filename: string) => {
  const db = new DatabaseSync(filename)
  const all = (sql: string) => db.prepare(sql).all()
  assert.deepStrictEqual(
    all("PRAGMA integrity_check").map((row) => row["integrity_check"]),
    ["ok"]
  )
  const [numbers] = all("SELECT count(*) AS count, max(sequence) AS last FROM event")
  assert.strictEqual(numbers?.["count"], numbers?.["last"], "events are numbered without gaps")
  assert.strictEqual(all("SELECT last_event FROM store")[0]?.["last_event"], numbers?.["last"])
  const loose = all(`WITH RECURSIVE link (job, sequence) AS (
      SELECT seq, last_event FROM job_state
      UNION ALL SELECT link.job, e.previous FROM link JOIN event e ON e.sequence = link.sequence WHERE e.previous IS NOT NULL)
    SELECT e.sequence FROM event e LEFT JOIN link ON link.sequence = e.sequence AND link.job = e.job WHERE link.job IS NULL`)
  assert.lengthOf(loose, 0, "every event is in the chain of its job")
  const moved = all(`SELECT s.seq FROM job_state s WHERE s.state <> (
      SELECT CASE m.to_state ${JobMachine.states.map((state, n) => `WHEN '${state}' THEN ${n}`).join(" ")} END
      FROM event e JOIN move m USING (move) WHERE e.job = s.seq AND m.subject_kind = 'job' ORDER BY e.sequence DESC LIMIT 1)`)
  assert.lengthOf(moved, 0, "every job is where its last event says")
  const counted = all(`SELECT t.state FROM tally t
    WHERE t.count <> (SELECT count(*) FROM job_state s WHERE s.workflow = t.workflow AND s.state = t.state)`)
  assert.lengthOf(counted, 0, "counts are kept")
  db.close()
  return Number(numbers?.["last"])
}

describe("a store among processes", () => {
  it.live(
    "a writer killed at any moment leaves whole units, and nothing that it was told is lost",
    () =>
      Effect.gen(function* () {
        const filename = yield* storePath
        for (const commits of [1, 7, 40]) {
          const writer = yield* child("commitForever", filename)
          let told = 0
          for (
            let line = yield* nextLine(writer), seen = 1;
            line !== undefined;
            line = yield* nextLine(writer), seen++
          ) {
            told = Number(line)
            if (seen === commits) writer.process.kill("SIGKILL")
          }
          assert.isAbove(told, 0)
          assert.isAtLeast(checkWhole(filename), told)
        }
        const driver = yield* SqliteStore.makeDriver({ filename })
        const orphans = yield* driver.agents({ by: "orphaned", after: 0, limit: 1000 })
        assert.isTrue(
          orphans.every((row) => row.agent_state === "abandoned"),
          "a killed host's epoch is not over by itself"
        )
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "while another process holds the lock, a commit answers busy soon and leaves nothing (R15)",
    () =>
      Effect.gen(function* () {
        const filename = yield* storePath
        const driver = yield* SqliteStore.makeDriver({ filename })
        yield* driver.commit(unit({ inserts: [insert("before")] }))
        const other = yield* child("holdLock", filename)
        assert.strictEqual(yield* nextLine(other), "held")

        const began = performance.now()
        const error = yield* Effect.flip(driver.commit(unit({ inserts: [insert("during")] })))
        assert.strictEqual(error._tag, "ORCH_STORE_BUSY")
        assert.isBelow(performance.now() - began, 250, "the event loop does not stand still for long")
        assert.strictEqual(
          (yield* Effect.flip(driver.enlist({ identity: "{}", at: start })))._tag,
          "ORCH_STORE_BUSY"
        )
        const { rows } = yield* driver.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 9 })
        assert.deepStrictEqual(
          rows.map((row) => row.idempotency_key),
          ["before"],
          "reading goes on"
        )

        other.process.stdin?.end()
        yield* Effect.promise(() => once(other.process, "exit"))
        const { inserted } = yield* driver.commit(unit({ inserts: [insert("after")] }))
        assert.deepStrictEqual(inserted, [{ duplicate: false, seq: 2 }])
        checkWhole(filename)
      }).pipe(Effect.scoped),
    60_000
  )
})
