/**
 * How long one transaction holds the store while a host forgets finished jobs, and how many it forgets in a second.
 * `node --conditions=@muster/source bench/retention.ts [--jobs 100000] [--keep 1000] [--payload 0] [--synchronous NORMAL,FULL]`
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { parseArgs } from "node:util"
import { type JobWithBodiesRow, Retention, Store } from "@muster/core"
import { Fleet } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Layer, Logger } from "effect"
import { at, finishing, insertRow, starting, unitOf } from "./StoreCommitLoad.ts"

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "100000" },
    keep: { type: "string", default: "1000" },
    payload: { type: "string", default: "0" },
    priorities: { type: "string", default: "97" },
    synchronous: { type: "string", default: "NORMAL,FULL" }
  }
})
const jobs = Number(values.jobs)
const keep = Number(values.keep)
const payload = JSON.stringify("x".repeat(Number(values.payload)))

/** A store with so many finished jobs. */
const fill = (filename: string) =>
  Effect.gen(function* () {
    const driver = yield* SqliteStore.makeDriver({ filename, synchronous: "NORMAL" })
    const { id } = yield* driver.open
    const { epoch, host } = yield* driver.enlist({ identity: "{}", at })
    let turn = 0
    let working: ReadonlyArray<JobWithBodiesRow> = []
    for (let first = 0; first < jobs || working.length > 0; first += 500) {
      const count = Math.max(0, Math.min(500, jobs - first))
      const inserts = Array.from({ length: count }, (_, index) => {
        const row = insertRow(first + index, Number(values.priorities))
        return payload.length > 2 ? { ...row, payload } : row
      })
      if (count > 0) yield* driver.commit(unitOf({ inserts }))
      const { rows } = yield* driver.jobs({ by: "ready", workflows: ["review"], now: at, limit: 500 })
      const changes = working.map((row) => finishing(row, id))
      for (const row of rows) changes.push(starting(row, id, host, epoch))
      yield* driver.commit(unitOf({ fence: { host, epoch, turn: ++turn }, changes }))
      working = rows
    }
    yield* driver.fence({ host, epoch, beat: null, as: "stopped", at })
  }).pipe(Effect.scoped)

const percentile = (sorted: ReadonlyArray<number>, part: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)

const measure = (filename: string, synchronous: "NORMAL" | "FULL") =>
  Effect.gen(function* () {
    const took: Array<number> = []
    const cpu: Array<number> = []
    let gone = 0
    const timed = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        prune: (request: Parameters<typeof store.prune>[0]) =>
          Effect.suspend(() => {
            const from = performance.now()
            const used = process.cpuUsage()
            return Effect.tap(store.prune(request), (count) =>
              Effect.sync(() => {
                took.push(performance.now() - from)
                const { system, user } = process.cpuUsage(used)
                cpu.push((system + user) / 1000)
                gone += count
              })
            )
          })
      }))
    ).pipe(Layer.provide(SqliteStore.layer({ filename, synchronous })))
    const fleet = Fleet.layer({ workflows: [], retention: { jobs: keep, finished: "Infinity" } }).pipe(
      Layer.provideMerge(timed)
    )
    const delay = monitorEventLoopDelay({ resolution: 5 })
    const began = performance.now()
    yield* Effect.gen(function* () {
      const store = yield* Store
      delay.enable()
      while (Retention.finishedJobs(yield* store.tally(at)) > keep) yield* Effect.sleep(200)
      delay.disable()
    }).pipe(Effect.provide(fleet))
    const seconds = (performance.now() - began) / 1000
    const sorted = took.toSorted((a, b) => a - b)
    const busy = cpu.toSorted((a, b) => a - b)
    console.log(
      `${synchronous.padEnd(6)} ${gone} of ${jobs} jobs gone in ${took.length} transactions: ` +
        `p50 ${percentile(sorted, 0.5)}, p99 ${percentile(sorted, 0.99)}, longest ${percentile(sorted, 1)} ms ` +
        `(CPU p50 ${percentile(busy, 0.5)}, p99 ${percentile(busy, 0.99)}, most ${percentile(busy, 1)} ms); ` +
        `${Math.round(gone / seconds)} jobs/s; event loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms`
    )
  })

const folder = mkdtempSync(join(tmpdir(), "retention-"))

await Effect.forEach(values.synchronous.split(","), (name) => {
  const filename = join(folder, `${name}.db`)
  return Effect.andThen(fill(filename), measure(filename, name === "FULL" ? "FULL" : "NORMAL"))
}).pipe(
  Effect.provide(Logger.layer([])),
  Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true }))),
  Effect.runPromise
)
