/**
 * One case of the lifecycle benchmark, in a process of its own: no-op function jobs from the queue to their tombstones, every event
 * written. Prints one JSON line.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Store, Workflow } from "@muster/core"
import { Fleet, MemoryStore } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Deferred, Effect, Schema } from "effect"
import { newJobs } from "./LifecycleLoad.ts"

export interface Case {
  readonly jobs: number
  readonly slots: number
  readonly synchronous: "NORMAL" | "FULL" | "MEMORY"
  /** How many different priorities, interleaved; 1: in order of arrival. */
  readonly priorities: number
}

/** JSON from the benchmark that spawned this process. */
const given = JSON.parse(process.argv[2] ?? "{}") as Case

let worked = 0
const allWorked = Deferred.makeUnsafe<void>()
const noop = Workflow.make("noop", {
  payload: Schema.Struct({ index: Schema.Int }),
  result: Schema.Struct({ ok: Schema.Boolean }),
  run: () =>
    Effect.sync(() => {
      worked += 1
      if (worked === given.jobs) Deferred.doneUnsafe(allWorked, Effect.void)
      return { ok: true }
    })
})

const measure = Effect.gen(function* () {
  const store = yield* Store
  for (let first = 0; first < given.jobs; first += 1_000) {
    const inserts = newJobs("noop", first, Math.min(1_000, given.jobs - first), given.priorities)
    yield* store.commit({ fence: null, at: Date.now(), inserts })
  }
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const cpu = process.cpuUsage()
  const began = performance.now()
  yield* Effect.gen(function* () {
    const fleet = yield* Fleet
    yield* Deferred.await(allWorked)
    yield* fleet.drain()
  }).pipe(Effect.provide(Fleet.layer({ slots: given.slots, workflows: [noop] })))
  const seconds = (performance.now() - began) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  const hosts = yield* store.records({ kind: "hosts", job: null, after: 0, limit: 10 })
  const { jobs, sequence } = yield* store.tally(Date.now())
  const completed = jobs.find(({ state }) => state === "COMPLETED")?.count ?? 0
  const events = sequence - given.jobs
  if (completed !== given.jobs || events !== 7 * given.jobs) {
    return yield* Effect.die(`${completed} of ${given.jobs} jobs are COMPLETED, with ${events} events`)
  }
  return {
    ...given,
    jobs_per_second: Math.round(given.jobs / seconds),
    transactions: hosts.at(-1)?.row.turn ?? 0,
    cpu_us_per_job: Math.round((user + system) / given.jobs),
    peak_memory_mb: Math.round(process.resourceUsage().maxRSS / 1_024),
    loop_delay_p50_ms: Math.round(delay.percentile(50) / 1e5) / 10,
    loop_delay_p99_ms: Math.round(delay.percentile(99) / 1e5) / 10
  }
})

const folder = mkdtempSync(join(tmpdir(), "lifecycle-"))
const store =
  given.synchronous === "MEMORY"
    ? Store.layerFromDriver(Effect.sync(() => MemoryStore.makeDriver()))
    : SqliteStore.layer({ filename: join(folder, "fleet.db"), synchronous: given.synchronous })
const result = await Effect.runPromise(measure.pipe(Effect.provide(store)))
rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify(result))
