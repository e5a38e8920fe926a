/**
 * A bare node:sqlite loop that writes the rows of the lifecycle in the fleet's batches, without a look at what is there and without a check:
 * the floor that a store on SQLite stands on.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { at, insertRow, unitOf } from "./StoreCommitLoad.ts"

export interface Run {
  readonly filename: string
  readonly jobs: number
  readonly priorities: number
  readonly synchronous: "NORMAL" | "FULL"
  /** Jobs that finish, and jobs that start, in one commit. */
  readonly batch: number
}

/** Fills a new store; answers the jobs inserted a second. */
export const fill = (run: Run) =>
  Effect.gen(function* () {
    const driver = yield* SqliteStore.makeDriver({ filename: run.filename, synchronous: "NORMAL" })
    const began = performance.now()
    for (let first = 0; first < run.jobs; first += 1000) {
      const count = Math.min(1000, run.jobs - first)
      const inserts = Array.from({ length: count }, (_, index) => insertRow(first + index, run.priorities))
      yield* driver.commit(unitOf({ inserts }))
    }
    return run.jobs / ((performance.now() - began) / 1000)
  }).pipe(Effect.scoped)

/** The same rows, a prepared statement each, without a look at what is there and without a check. */
export const bare = (run: Run): number => {
  const db = new DatabaseSync(run.filename)
  db.exec(`PRAGMA synchronous = ${run.synchronous}; PRAGMA cache_size = -65536`)
  const peek = db.prepare(
    `SELECT o.*, s.* FROM (SELECT workflow, priority, seq FROM job_state WHERE workflow = 1 AND queue = 0 AND run_at <= ?
      ORDER BY priority DESC, run_at, seq LIMIT ?) k CROSS JOIN job_origin o ON o.seq = k.seq
    CROSS JOIN job_state s ON s.workflow = k.workflow AND s.priority = k.priority AND s.seq = k.seq`
  )
  const start = db.prepare(
    `UPDATE job_state SET version = 2, state = 2, queue = NULL, agent_state = 1, incarnation = 1, owner_host = 1, owner_epoch = 1,
      phase = 2, last_event = ?, updated_at = ? WHERE workflow = 1 AND priority = ? AND seq = ?`
  )
  const finish = db.prepare(
    `UPDATE job_state SET version = 3, state = 4, agent_state = 4, owner_host = NULL, owner_epoch = NULL, phase = NULL,
      disposition = 0, ending = ?, last_event = ?, updated_at = ? WHERE workflow = 1 AND priority = ? AND seq = ?`
  )
  const event = db.prepare(`INSERT INTO event VALUES (?, ?, ?, ?, ?, 1, ?, NULL, NULL)`)
  const result = db.prepare(`INSERT INTO job_end VALUES (?, ?, ?)`)
  const tally = db.prepare(`UPDATE tally SET count = count + ? WHERE workflow = 1 AND state = ?`)
  const counters = db.prepare(`UPDATE store SET last_event = ?, last_ending = ?`)
  interface Row {
    readonly seq: number
    readonly priority: number
    readonly last_event: number
  }
  let working: ReadonlyArray<{ readonly row: Row; readonly last: number }> = []
  let sequence = run.jobs
  let done = 0
  let results = 0
  const chain = (row: Row, last: number, moves: number) => {
    let previous = last
    for (let move = 1; move <= moves; move++) {
      sequence += 1
      event.run(sequence, row.seq, move, 1, at, previous)
      previous = sequence
    }
    return previous
  }
  const began = performance.now()
  while (done < run.jobs) {
    db.exec("BEGIN IMMEDIATE")
    // The columns that the query names.
    const rows = peek.all(at, run.batch) as unknown as ReadonlyArray<Row>
    for (const { last, row } of working) {
      const end = chain(row, last, 3)
      results += 1
      result.run(results, row.seq, `{"ok":true}`)
      finish.run(results, end, at, row.priority, row.seq)
    }
    done += working.length
    working = rows.map((row) => {
      const last = chain(row, row.last_event, 4)
      start.run(last, at, row.priority, row.seq)
      return { row, last }
    })
    tally.run(-rows.length, 0)
    counters.run(sequence, results)
    db.exec("COMMIT")
  }
  const took = performance.now() - began
  db.close()
  return run.jobs / (took / 1000)
}

/** Fills a store of its own and works it off; jobs a second. */
export const bareRate = (run: Omit<Run, "filename">): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "bare-loop-"))
  const mine = { ...run, filename: join(folder, "bare.db") }
  const rate = Effect.map(fill(mine), () => Math.round(bare(mine)))
  return Effect.runPromise(
    Effect.ensuring(
      rate,
      Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
  )
}
