/**
 * `muster logs`: what an agent has said, from the files beside the store and from the host that it lives on, once or as it comes.
 */
import { isOver, type Job, jobOfAddress, Store } from "@muster/core"
import { type AgentLogs, LogReader } from "@muster/fleet"
import type { ControlClient } from "@muster/fleet/control"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { untilInterrupted } from "../Following.ts"
import { isGone, liveHosts } from "../hosts/LiveHosts.ts"
import { linesForPeople, rowLimit } from "../input/Limit.ts"
import { LogPrinter } from "../logs/LogPrinter.ts"
import { talk } from "../output/Answer.ts"
import { isListening } from "../output/Listener.ts"
import * as StoreFile from "../store/StoreFile.ts"

interface Input {
  readonly subject: string
  readonly follow: boolean
  readonly lines: Option.Option<number>
  readonly life: Option.Option<number>
}

/** So long a host may take to say what it has in memory, in milliseconds: it writes a file no more than a moment later. */
const askMillis = 100
/** Between two looks at the file and at the job, in milliseconds. */
const lookMillis = 250
/** So often a line is waited for that must be on its way to the file. */
const lateLooks = 3
/** After its agent is tombstoned a host may still be writing its last lines, in milliseconds. */
const lastMillis = 600

/** The host that the agent lives on, where that answers. */
const hostOf = Effect.fnUntraced(function* ({ agent }: Job) {
  const owner = agent?.owner?.host
  if (owner === undefined) return null
  const hosts: ReadonlyArray<ControlClient.LiveHost> = yield* liveHosts
  return hosts.find(({ host }) => host === owner) ?? null
})

/** What its host says of it, in batches; ends with the agent's life, or with the host. */
const heard = ({ client }: ControlClient.LiveHost, jobId: string) =>
  client.Lines({ jobId }).pipe(
    // a line in memory is shorter, and says so itself
    Stream.map((line): AgentLogs.LoggedLine => ({ ...line, cut: false }))
  )

/** What its host has in memory by now. */
const inMemory = Effect.fnUntraced(function* (job: Job) {
  const lines: Array<AgentLogs.LoggedLine> = []
  const host = yield* hostOf(job)
  if (host === null) return lines
  yield* heard(host, job.jobId).pipe(
    Stream.runForEachArray((some) => Effect.sync(() => lines.push(...some))),
    Effect.timeoutOption(askMillis),
    Effect.catchIf(isGone, () => Effect.void),
    Effect.catchTag("ORCH_JOB_NOT_FOUND", () => Effect.void)
  )
  return lines
}, Effect.scoped)

/**
 * Takes what the file has beyond what was seen, and waits a moment for it where `first`, which the host has in memory, comes later: the file is
 * complete and a little late, the host's memory has no more than one life's last lines.
 */
const catchUp = Effect.fnUntraced(function* <R>(
  first: AgentLogs.LoggedLine | undefined,
  { printer, reader }: { readonly printer: LogPrinter; readonly reader: LogReader },
  take: (lines: ReadonlyArray<AgentLogs.LoggedLine>) => Effect.Effect<void, never, R>
) {
  for (let looks = 1; ; looks++) {
    yield* take(reader.next())
    if (first === undefined || printer.isNext(first) || looks > lateLooks) return
    yield* Effect.sleep(lookMillis)
  }
})

/** Nothing more will be said: the agent is tombstoned, or there never was one. */
const isEnded = ({ agent, state }: Job): boolean =>
  isOver(state) && (agent === null || agent.state === "tombstoned")

/** Goes on until its agent has ended, or nobody reads. */
const follow = Effect.fnUntraced(function* (seq: number, reader: LogReader, printer: LogPrinter) {
  const store = yield* Store

  const hear = Effect.fnUntraced(function* (job: Job) {
    const host = yield* hostOf(job)
    if (host === null) return yield* Effect.sleep(lookMillis)
    yield* heard(host, job.jobId).pipe(
      Stream.runForEachArray((some) =>
        Effect.gen(function* () {
          yield* catchUp(some[0], { printer, reader }, (lines) => printer.tell(lines))
          yield* printer.tell(some)
          return yield* (yield* isListening) ? Effect.void : Effect.interrupt
        })
      ),
      Effect.catchIf(isGone, () => Effect.void)
    )
    // Its agent has no life there at the moment.
    return yield* Effect.sleep(lookMillis)
  }, Effect.scoped)

  while (yield* isListening) {
    const [found] = yield* store.jobs({ by: "seq", seqs: [seq], bodies: false })
    const ended = found === undefined || isEnded(found.job)
    if (ended) yield* Effect.sleep(lastMillis)
    yield* printer.tell(reader.next())
    if (ended) return
    yield* hear(found.job)
  }
})

const tellLogs = Effect.fnUntraced(function* (input: Input) {
  const store = yield* Store
  const { job } = yield* store.job(jobOfAddress(input.subject) ?? input.subject)
  const count = yield* rowLimit(input.lines, linesForPeople)
  const life = Option.getOrNull(input.life)
  const reader = new LogReader(store.name, job.jobId)
  const printer = new LogPrinter({ jobId: job.jobId, life })
  const kept = printer.fresh(reader.last(life === null && count !== null ? Math.max(1, count) : null))
  const lines = [...kept]
  const take = (more: ReadonlyArray<AgentLogs.LoggedLine>) =>
    Effect.sync(() => void lines.push(...printer.fresh(more)))
  const heardOf = yield* inMemory(job)
  yield* catchUp(heardOf[0], { printer, reader }, take)
  yield* take(heardOf)
  yield* printer.print(count === null ? lines : lines.slice(Math.max(0, lines.length - count)))
  if (input.follow) return yield* untilInterrupted(follow(job.seq, reader, printer))
  if (lines.length === 0)
    yield* talk(
      job.agent === null
        ? `Job ${job.jobId} has no agent yet: muster explain ${job.seq}.`
        : `Nothing is kept of what the agent of job ${job.jobId} has said${life === null ? "" : ` in its life ${life}`}.`
    )
})

export const logs = (input: Input) => Effect.provide(tellLogs(input), StoreFile.layer("read"))
