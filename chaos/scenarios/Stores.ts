/**
 * Trouble with the file: somebody else holds it, the disk under it is full, commands of other processes use it all the time.
 */
import { Effect } from "effect"
import { slowness } from "../harness/HostProcess.ts"
import type { Wanted } from "../harness/Jobs.ts"
import type { WorkflowName } from "../HostProtocol.ts"
import { Broken, type Scenario, Skipped } from "../Scenario.ts"

const insist = (holds: boolean, detail: string) => (holds ? Effect.void : Effect.fail(new Broken({ detail })))

const jobs = (count: number, name: string, millis = 20): ReadonlyArray<Wanted> =>
  Array.from({ length: count }, (_, index) => ({
    workflow: (["bare", "function", "program"] satisfies ReadonlyArray<WorkflowName>)[index % 3] ?? "bare",
    name: `${name} ${index}`,
    millis
  }))

/** The longest that the event loop may stand still, in milliseconds, where nothing else uses the processors. */
const longestStall = 500

const locked: Scenario = {
  name: "locked-store",
  promise: "While another process holds the store for 3 s the event loop goes on, and nothing is lost",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const host = yield* stage.start({ slots: 8 })
    yield* host.heard("started")
    yield* stage.submit(jobs(40, "before", 100))
    yield* stage.waitUntil("work was going on", () => stage.begun() >= 8)
    yield* host.ask({ ask: "delay" })
    const lock = yield* stage.lock(3_000)
    yield* lock.released
    const { delay } = yield* host.ask({ ask: "delay" })
    stage.remark(`event loop while locked: p99 ${delay?.p99} ms, max ${delay?.max} ms`)
    yield* stage.submit(jobs(12, "after"))
    yield* stage.everythingDone()
    yield* insist(
      (delay?.p99 ?? longestStall) < 100 * slowness(host),
      `the event loop's delay was ${delay?.p99} ms at p99`
    )
    yield* insist(
      (delay?.max ?? longestStall) < longestStall * slowness(host),
      `the event loop stood still for ${delay?.max} ms`
    )
  })
}

const fullDisk: Scenario = {
  name: "full-disk",
  promise:
    "On a full disk the last good state opens, the error names the disk, and work goes on after space is freed",
  share: 0,
  diskMebibytes: 8,
  play: Effect.fnUntraced(function* (stage) {
    const { disk } = stage
    if (disk === null) return yield* new Skipped({ reason: "there is no small disk" })
    const host = yield* stage.start({ slots: 4 })
    yield* host.heard("started")
    yield* stage.submit(jobs(60, "full", 60))
    yield* stage.waitUntil("work was going on", () => stage.begun() >= 8)
    yield* disk.fill
    yield* Effect.sleep("3 seconds")
    const says = /disk|full|space/i.test(host.log())
    const isOver = host.isOver()
    yield* disk.free
    if (isOver) stage.remark("the host ended on the full disk and was started again")
    if (isOver) yield* stage.start({ expectsWork: true })
    yield* stage.everythingDone()
    yield* insist(says, `the host doesn't name the disk: ${host.log().slice(-300)}`)
    yield* insist(!isOver, "the host ended on the full disk instead of waiting (R21)")
  })
}

/** What operators type, again and again. Each may be told that the job is over, never that the store is locked. */
const typed = (round: number, job: string): ReadonlyArray<ReadonlyArray<string>> => [
  [
    "submit",
    "--workflow",
    "bare",
    JSON.stringify({ name: `typed ${round}`, behaviour: "works", millis: 5, times: 1 }),
    "--json"
  ],
  ["status", "--json"],
  ["cancel", job, "--json"],
  ["pause", "--reason", "to see it", "--json"],
  ["resume", "--json"],
  ["jobs", "--json", "--limit", "20"],
  ["show", job, "--json"]
]

const commands: Scenario = {
  name: "commands-under-load",
  promise:
    "submit, cancel, pause, resume, status and show from other processes under load never meet a locked database, nor stall the host",
  share: 0,
  play: Effect.fnUntraced(function* (stage) {
    const host = yield* stage.start({ slots: 8 })
    yield* host.heard("started")
    const load = yield* stage.submit(
      Array.from({ length: 400 }, (_, index): Wanted => ({
        workflow: "bare",
        name: `load ${index}`,
        millis: 40,
        mayBeCancelled: true
      }))
    )
    yield* host.ask({ ask: "delay" })
    let ran = 0
    const problems: Array<string> = []
    const operator = (number: number) =>
      Effect.gen(function* () {
        for (let round = 0; round < 3; round++) {
          const job = load[(number * 97 + round * 31) % load.length]?.jobId ?? ""
          for (const args of typed(number * 100 + round, job)) {
            const { code, err, out } = yield* stage.command(...args)
            ran += 1
            if (/locked|busy/i.test(err + out) || ![0, 6].includes(code))
              problems.push(
                `muster ${args.slice(0, 2).join(" ")} ended with ${code}: ${(err + out).trim().slice(-200)}`
              )
          }
        }
      })
    yield* Effect.forEach([1, 2, 3], operator, { concurrency: "unbounded" })
    // Whoever paused last may have been the last of all.
    yield* stage.command("resume")
    const { delay } = yield* host.ask({ ask: "delay" })
    stage.remark(`${ran} commands; event loop p99 ${delay?.p99} ms, max ${delay?.max} ms`)
    yield* stage.everythingDone()
    yield* insist(problems.length === 0, problems.slice(0, 3).join("; "))
    yield* insist(
      (delay?.max ?? longestStall) < longestStall * slowness(host),
      `the event loop stood still for ${delay?.max} ms`
    )
  })
}

export const stores: ReadonlyArray<Scenario> = [locked, fullDisk, commands]
