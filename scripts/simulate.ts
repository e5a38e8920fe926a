/**
 * `pnpm simulate [--seed N] [--runs N] [--failures N] [--shrinks N] [--workers N] [--trace]`: simulated lives of a store with the
 * real fleet on it, from seed to seed. Prints what was run and how fast, and the story of each seed that fails; ends with 1 if one does.
 */
import { parseArgs } from "node:util"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { simulate, type SimulationReport } from "@muster/fleet/testing"
import { Effect } from "effect"

interface Share {
  readonly seed: number
  readonly runs: number
  readonly failures: number
  readonly shrinks: number
  readonly traced: boolean
}

/** The trace of runs that go well, for whoever asked for it. */
const print = (lines: ReadonlyArray<string>): void => {
  if (lines.length > 0) console.log(lines.join("\n"))
}

const play = ({ failures, runs, seed, shrinks, traced }: Share): Promise<SimulationReport> =>
  Effect.runPromise(simulate({ seed, runs, failures, shrinks, traced, onRun: ({ trace }) => print(trace) }))

const inWorker = (share: Share): Promise<SimulationReport> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once("message", resolve)
    worker.once("error", reject)
  })

const options = {
  seed: { type: "string", default: "1" },
  runs: { type: "string", default: "1000" },
  failures: { type: "string", default: "3" },
  shrinks: { type: "string", default: "300" },
  workers: { type: "string", default: "1" },
  trace: { type: "boolean", default: false }
} as const

const main = async (): Promise<void> => {
  const { values } = parseArgs({ options })
  const [seed, runs, failures, workers] = [values.seed, values.runs, values.failures, values.workers].map(
    Number
  )
  if (
    ![seed, runs, failures, workers].every((number) => Number.isSafeInteger(number) && Number(number) > 0)
  ) {
    console.error("seed, runs, failures and workers are whole numbers above 0")
    process.exit(2)
  }
  const [first = 1, all = 1, most = 1, threads = 1] = [seed, runs, failures, workers]
  const began = performance.now()
  const each = Math.ceil(all / threads)
  const shares = Array.from({ length: threads }, (_, index): Share => {
    const from = index * each
    return {
      seed: first + from,
      runs: Math.max(0, Math.min(each, all - from)),
      failures: most,
      shrinks: Number(values.shrinks),
      traced: values.trace
    }
  })
  const reports = await Promise.all(threads === 1 ? shares.map(play) : shares.map(inWorker))
  const seconds = (performance.now() - began) / 1_000
  const sum = (of: (report: SimulationReport) => number): number =>
    reports.reduce((total, one) => total + of(one), 0)
  const done = sum((report) => report.runs)
  const failed = reports.flatMap((report) => report.failed)
  for (const { story } of failed) console.log(`${story}\n`)
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["seeds", `${first} to ${first + all - 1}`],
    ["runs", String(done)],
    ["failed", failed.length === 0 ? "0" : failed.map((one) => one.seed).join(", ")],
    ["jobs", String(sum((report) => report.jobs))],
    ["hosts", String(sum((report) => report.hosts))],
    ["commits", String(sum((report) => report.commits))],
    ["simulated", `${(sum((report) => report.millis) / 3_600_000).toFixed(1)} h`],
    ["took", `${seconds.toFixed(1)} s`],
    ["rate", `${Math.round((done / seconds) * 60)} runs a minute`]
  ]
  for (const [name, value] of rows) console.log(`${name.padEnd(10)} ${value}`)
  if (failed.length > 0) process.exitCode = 1
}

if (isMainThread) await main()
// What the main thread has given; and it is the only one that listens, so that there is no origin to name.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
else parentPort?.postMessage(await play(workerData as Share))
