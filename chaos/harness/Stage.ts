/**
 * The stage of one scenario: a folder, a store in a real SQLite file, hosts and agents as real processes, and the verbs that are done to
 * them. When its scope closes, nothing of it is left.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defaults, Store } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Context, Effect, Layer, type Scope } from "effect"
import * as Ledger from "../host/Ledger.ts"
import { breaker } from "../host/PointedPlugins.ts"
import { go } from "../host/Workflows.ts"
import { type Fault, stageVariable } from "../HostProtocol.ts"
import type { Evidence } from "../oracles/Evidence.ts"
import { Broken } from "../Scenario.ts"
import * as Command from "./Command.ts"
import * as History from "./History.ts"
import * as HostProcess from "./HostProcess.ts"
import * as Jobs from "./Jobs.ts"
import { carriers, signal } from "./ProcessTable.ts"
import * as SmallDisk from "./SmallDisk.ts"
import * as StoreLock from "./StoreLock.ts"

export interface HostWish {
  readonly slots?: number
  /** In force from the start of its process. */
  readonly fault?: Fault
  readonly silenceMillis?: number
  readonly stopMillis?: number
  readonly leaseMillis?: number
  /** Its first dispatch is timed: something waits to be taken. */
  readonly expectsWork?: boolean
}

export interface StageOptions {
  /** As of the scenario. */
  readonly diskMebibytes?: number
  /** Leaves the folder where it is, to be looked at. */
  readonly keep?: boolean
}

export const make = Effect.fnUntraced(function* (options: StageOptions = {}) {
  const name = randomBytes(8).toString("hex")
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "chaos-"))),
    (path) =>
      Effect.sync(() => {
        if (options.keep !== true) rmSync(path, { recursive: true, force: true, maxRetries: 5 })
      })
  )
  // Released before the folder: an agent that still runs would write into it anew.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const { pid } of carriers(stageVariable, name)) signal(pid, "SIGKILL")
    })
  )
  const disk =
    options.diskMebibytes === undefined ? null : yield* SmallDisk.mount(folder, options.diskMebibytes)
  const file = join(disk?.folder ?? folder, "fleet.db")
  const store = yield* Layer.build(SqliteStore.layer({ filename: file, synchronous: "NORMAL" })).pipe(
    Effect.map(Context.get(Store)),
    Effect.orDie
  )
  const { history, look, waitUntil } = History.make(store)
  const submitted = new Map<string, Jobs.Submitted>()
  const hosts: Array<HostProcess.HostProcess> = []
  const remarks: Array<string> = options.keep === true ? [`kept: ${folder}`] : []
  const timed: Array<HostProcess.HostProcess> = []
  let kills = 0

  const start = Effect.fnUntraced(function* (
    wish: HostWish = {}
  ): Effect.fn.Return<HostProcess.HostProcess, never, Scope.Scope> {
    const host = yield* HostProcess.start({
      settings: {
        folder,
        store: file,
        slots: wish.slots ?? 4,
        fault: wish.fault ?? null,
        silenceMillis: wish.silenceMillis ?? 60_000,
        stopMillis: wish.stopMillis ?? 10_000,
        leaseMillis: wish.leaseMillis ?? defaults.leaseMillis
      },
      stage: name,
      cache: join(tmpdir(), "muster-chaos-code"),
      number: hosts.length + 1
    })
    hosts.push(host)
    if (wish.expectsWork === true) timed.push(host)
    return host
  })

  /** Hands jobs in from outside. */
  const submit = Effect.fnUntraced(function* (wanted: ReadonlyArray<Jobs.Wanted>) {
    const jobs = yield* Jobs.submit(store, wanted)
    for (const job of jobs) submitted.set(job.jobId, job)
    return jobs
  })

  const idOf = (job: string): string | undefined =>
    Array.from(submitted.values()).find(({ wanted }) => wanted.name === job)?.jobId

  /** A job that a host or a command was given, to be held to an end as any other. */
  const know = (job: Jobs.Submitted): void => {
    submitted.set(job.jobId, job)
  }

  /** Hands one job to a host. Where that dies over it, it is handed in again from outside, as a caller does who got no answer. */
  const submitTo = Effect.fnUntraced(function* (host: HostProcess.HostProcess, wanted: Jobs.Wanted) {
    const payload = Jobs.payloadOf(wanted)
    const asked = host.ask({ ask: "submit", workflow: wanted.workflow, payload, key: wanted.name, fibers: 1 })
    yield* Effect.ignore(asked)
    return yield* submit([wanted])
  })

  /** Waits until every job that was submitted is over and its agent gone. */
  const everythingDone = (millis = 60_000) =>
    waitUntil(
      "every job was done",
      ({ jobs }) =>
        Array.from(submitted.keys()).every((jobId) => {
          const story = jobs.get(jobId)
          return story !== undefined && History.isDone(story)
        }),
      millis
    )

  /**
   * As `everythingDone`, with an operator who answers what became of a step whose outcome nobody knows: he looks at what it wrote.
   * `held` hears of each question.
   */
  const everythingSettled = (host: HostProcess.HostProcess, held: (jobId: string) => void) => {
    const answer = Effect.gen(function* () {
      const waiting = yield* store.jobs({
        by: "page",
        state: "RETRY_SCHEDULED",
        workflow: null,
        after: 0,
        limit: 1_000
      })
      for (const { job } of waiting) {
        if (job.hold === null) continue
        held(job.jobId)
        const isDone = Ledger.lines(folder, "effects").some(([, jobId]) => jobId === job.jobId)
        yield* host.ask({ ask: "settle", job: job.jobId, outcome: isDone ? "done" : "not_done" })
      }
      yield* Effect.sleep("30 millis")
    }).pipe(Effect.ignore, Effect.forever)
    return Effect.raceFirst(everythingDone(), answer)
  }

  const kill = (host: HostProcess.HostProcess) =>
    Effect.tap(host.kill, () => Effect.sync(() => void (kills += 1)))

  /** The processes of a job's agent, on this machine. */
  const agentsOf = (jobId?: string) =>
    carriers(stageVariable, name).filter(({ environment }) => {
      const job = environment.get("MUSTER_JOB_ID")
      return job !== undefined && (jobId === undefined || job === jobId)
    })

  /** Kills the processes of one job's agent, not the host. */
  const killAgent = (jobId: string) =>
    Effect.suspend(() => {
      const found = agentsOf(jobId)
      for (const { pid } of found) signal(pid, "SIGKILL")
      kills += found.length
      return found.length > 0
        ? Effect.void
        : Effect.fail(new Broken({ detail: `no process of job ${jobId} is there to be killed` }))
    })

  const stopAll = Effect.suspend(() =>
    Effect.forEach(
      hosts.filter((host) => !host.isOver()),
      (host) => host.stop
    )
  )

  const evidence: Omit<Evidence, "workflows"> = { store, history, submitted, folder, stage: name }

  return {
    name,
    folder,
    file,
    /** Null: the store lies on the disk of the machine. */
    disk,
    store,
    history,
    waitUntil,
    look,
    start,
    kill,
    /** A fault point has killed a host. */
    counted: (): void => {
      kills += 1
    },
    submit,
    submitTo,
    know,
    everythingDone,
    everythingSettled,
    agentsOf,
    killAgent,
    stopAll,
    idOf,
    /** Whether a life of the job of this name has begun. */
    isAtWork: (job: string): boolean => {
      const jobId = idOf(job)
      return jobId !== undefined && Ledger.lines(folder, "work").some(([, other]) => other === jobId)
    },
    isDone: (jobId: string): boolean => {
      const story = history.jobs.get(jobId)
      return story !== undefined && History.isDone(story)
    },
    living: (): ReadonlyArray<HostProcess.HostProcess> => hosts.filter((host) => !host.isOver()),
    lock: (millis: number) => StoreLock.hold(file, millis),
    /** A process that hands in one job so often; what it was answered. */
    submitter: (wanted: Jobs.Wanted, times: number) =>
      Command.submitter(file, wanted, times, { [stageVariable]: name }),
    command: (...args: ReadonlyArray<string>) => Command.run(file, args, { [stageVariable]: name }),
    /** From now on agents that wait go on. */
    letGo: Effect.sync(() => writeFileSync(go(folder), "")),
    breakPlugin: (plugin: Parameters<typeof breaker>[1]) =>
      Effect.sync(() => writeFileSync(breaker(folder, plugin), "")),
    mendPlugin: (plugin: Parameters<typeof breaker>[1]) =>
      Effect.sync(() => rmSync(breaker(folder, plugin), { force: true })),
    /** How often the lives of agents have begun: of one job, or of all. */
    begun: (jobId?: string): number =>
      Ledger.lines(folder, "work").filter(([what, job]) => what === "start" && (jobId ?? job) === job).length,
    /** Something that was measured, for the table. */
    remark: (text: string): void => {
      remarks.push(text)
    },
    evidence,
    figures: () => ({
      kills,
      jobs: history.jobs.size,
      remarks,
      restarts: timed.flatMap((host) => {
        const started = host.news().find((news) => news.at === "started")
        const dispatched = host.news().find((news) => news.at === "dispatched")
        return started === undefined || dispatched === undefined
          ? []
          : [{ own: dispatched.millis - started.loaded, whole: dispatched.millis }]
      })
    })
  }
})

export type Stage = Effect.Success<ReturnType<typeof make>>
