/**
 * How fast the SQLite driver commits turns, beside a bare node:sqlite loop that writes the same rows in the same batches.
 * `node --conditions=@muster/source bench/store-commit.ts [--jobs 10000,100000] [--priorities 1,97] [--synchronous NORMAL,FULL]`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"
import type { JobWithBodiesRow } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { at, finishing, insertRow, starting, unitOf } from "./StoreCommitLoad.ts"

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "10000,100000" },
    priorities: { type: "string", default: "1,97" },
    synchronous: { type: "string", default: "NORMAL,FULL" },
    batch: { type: "string", default: "50" },
    repeat: { type: "string", default: "1" }
  }
})
const numbers = (text: string) => text.split(",").map(Number)
const batch = Number(values.batch)

interface Run {
  readonly filename: string
  readonly jobs: number
  readonly priorities: number
  readonly synchronous: "NORMAL" | "FULL"
}

/** Fills a new store; answers the jobs inserted a second. */
const fill = (run: Run) =>
  Effect.gen(function* () {
    const driver = yield* SqliteStore.makeDriver({ ...run, synchronous: "NORMAL" })
    const began = performance.now()
    for (let first = 0; first < run.jobs; first += 1000) {
      const count = Math.min(1000, run.jobs - first)
      const inserts = Array.from({ length: count }, (_, index) => insertRow(first + index, run.priorities))
      yield* driver.commit(unitOf({ inserts }))
    }
    return run.jobs / ((performance.now() - began) / 1000)
  }).pipe(Effect.scoped)

/** Turns until all jobs are done: what was started before finishes, what is peeked at starts, one commit. */
const drive = (run: Run) =>
  Effect.gen(function* () {
    const driver = yield* SqliteStore.makeDriver(run)
    const { id } = yield* driver.open
    const { epoch, host } = yield* driver.enlist({ identity: "{}", at })
    let working: ReadonlyArray<JobWithBodiesRow> = []
    let turn = 0
    let done = 0
    let peeking = 0
    const cpu = process.cpuUsage()
    const began = performance.now()
    while (done < run.jobs) {
      const before = performance.now()
      const { rows } = yield* driver.jobs({ by: "ready", workflows: ["review"], now: at, limit: batch })
      peeking += performance.now() - before
      const changes = working.map((row) => finishing(row, id))
      for (const row of rows) changes.push(starting(row, id, host, epoch))
      turn += 1
      const { lost } = yield* driver.commit(unitOf({ fence: { host, epoch, turn }, changes }))
      if (lost.length > 0) yield* Effect.die("a single host loses nothing")
      done += working.length
      working = rows
    }
    const took = performance.now() - began
    const { system, user } = process.cpuUsage(cpu)
    return {
      rate: run.jobs / (took / 1000),
      peek: (peeking / run.jobs) * 1000,
      cpu: (user + system) / run.jobs
    }
  }).pipe(Effect.scoped)

/** The same rows, a prepared statement each, without a look at what is there and without a check. */
const bare = (run: Run): number => {
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
    const rows = peek.all(at, batch) as unknown as ReadonlyArray<Row>
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

const folder = mkdtempSync(join(tmpdir(), "store-commit-"))
const thousands = (rate: number) => `${(rate / 1000).toFixed(1)}k`

const report = Effect.gen(function* () {
  for (const synchronous of values.synchronous.split(",")) {
    for (const jobs of numbers(values.jobs)) {
      for (const priorities of numbers(values.priorities)) {
        for (let round = 0; round < Number(values.repeat); round++) {
          const run = (name: string): Run => ({
            filename: join(folder, `${name}.db`),
            jobs,
            priorities,
            synchronous: synchronous === "FULL" ? "FULL" : "NORMAL"
          })
          const inserts = yield* fill(run("driver"))
          yield* fill(run("bare"))
          const driver = yield* drive(run("driver"))
          const floor = bare(run("bare"))
          for (const name of ["driver", "bare"])
            for (const tail of ["", "-wal", "-shm"])
              rmSync(join(folder, `${name}.db${tail}`), { force: true })
          console.log(
            `${synchronous.padEnd(6)} ${String(jobs).padStart(7)} jobs ${String(priorities).padStart(2)} priorities: ` +
              `${thousands(driver.rate)} jobs/s (peek ${driver.peek.toFixed(1)} of ${(1e6 / driver.rate).toFixed(1)} us a job, CPU ${driver.cpu.toFixed(1)} us), ` +
              `bare ${thousands(floor)}, ratio ${(driver.rate / floor).toFixed(2)}, inserts ${thousands(inserts)}/s`
          )
        }
      }
    }
  }
})

await Effect.runPromise(
  Effect.ensuring(
    report,
    Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
)
