/**
 * How fast the SQLite driver commits turns, beside a bare node:sqlite loop that writes the same rows in the same batches.
 * `node --conditions=@muster/source bench/store-commit.ts [--jobs 10000,100000] [--priorities 1,97] [--synchronous NORMAL,FULL]`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { JobWithBodiesRow } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { bare, fill, type Run } from "./BareLoop.ts"
import { at, finishing, starting, unitOf } from "./StoreCommitLoad.ts"

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
      if (lost.length > 0) return yield* Effect.die("a single host loses nothing")
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
            synchronous: synchronous === "FULL" ? "FULL" : "NORMAL",
            batch
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
