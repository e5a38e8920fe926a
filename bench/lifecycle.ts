/**
 * Jobs a second from the queue to the tombstone: no-op function jobs over SQLite, every event written, 50 slots; each case in a process of its
 * own, beside a bare node:sqlite loop that writes the same rows in the same batches, in the same run.
 * `pnpm bench lifecycle [--jobs 10000,100000] [--slots 50] [--synchronous NORMAL,FULL] [--priorities 1,97] [--json]`
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { bareRate } from "./BareLoop.ts"

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "10000,100000" },
    slots: { type: "string", default: "50" },
    synchronous: { type: "string", default: "NORMAL,FULL" },
    priorities: { type: "string", default: "1,97" },
    json: { type: "boolean", default: false }
  }
})
const numbers = (text: string) => text.split(",").map(Number)

interface Result {
  readonly jobs_per_second: number
  readonly transactions: number
  readonly cpu_us_per_job: number
  readonly peak_memory_mb: number
  readonly loop_delay_p50_ms: number
  readonly loop_delay_p99_ms: number
}

const heading = [
  "synchronous",
  "jobs",
  "priorities",
  "jobs/s",
  "of bare",
  "commits",
  "CPU us/job",
  "peak MB",
  "loop p50/p99 ms"
]
const widths = [11, 7, 10, 7, 7, 7, 10, 7, 15]
const line = (cells: ReadonlyArray<string | number>) =>
  cells.map((cell, index) => String(cell).padStart(widths[index] ?? 0)).join("  ")
if (!values.json) console.log(line(heading))

for (const synchronous of values.synchronous.split(",")) {
  for (const jobs of numbers(values.jobs)) {
    for (const priorities of numbers(values.priorities)) {
      const given = { jobs, slots: Number(values.slots), synchronous, priorities }
      const script = join(import.meta.dirname, "LifecycleCase.ts")
      const args = ["--conditions=@muster/source", script, JSON.stringify(given)]
      // The benchmark's own child prints what it measured.
      const result = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Result
      const bare =
        synchronous === "MEMORY"
          ? null
          : // One after the other: they are timed.
            // oxlint-disable-next-line no-await-in-loop
            await bareRate({
              jobs,
              priorities,
              batch: given.slots,
              synchronous: synchronous === "FULL" ? "FULL" : "NORMAL"
            })
      const ratio = bare === null ? null : Math.round((result.jobs_per_second / bare) * 100) / 100
      if (values.json)
        console.log(JSON.stringify({ ...result, bare_jobs_per_second: bare, ratio_to_bare: ratio }))
      else {
        const delays = `${result.loop_delay_p50_ms}/${result.loop_delay_p99_ms}`
        const { cpu_us_per_job, jobs_per_second, peak_memory_mb, transactions } = result
        console.log(
          line([
            synchronous,
            jobs,
            priorities,
            jobs_per_second,
            ratio ?? "-",
            transactions,
            cpu_us_per_job,
            peak_memory_mb,
            delays
          ])
        )
      }
    }
  }
}
