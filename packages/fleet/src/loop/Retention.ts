/**
 * Forgets finished jobs beyond the bounds of the host, beside the loop and behind it: short transactions, a pause after each that is at least
 * as long, longer ones while the event loop or the store is loaded. Of several hosts of a store the one with the smallest number does it.
 */
import {
  ConfigInvalid,
  defaults,
  type HostRow,
  Retention,
  Store,
  type StoreFailure,
  type StoreService
} from "@muster/core"
import { Clock, Duration, Effect } from "effect"
import type { LogBounds, OpenLogs } from "../adapters/logs/AgentLogs.ts"
import * as LogKeeping from "../adapters/logs/LogKeeping.ts"
import { instant } from "../Instant.ts"
import { knownJobs } from "../jobs/KnownJobs.ts"
import { allHosts } from "./Host.ts"
import type { Ownership } from "./Ownership.ts"

/** What is kept of finished jobs; whichever bound is met first. Infinity for no bound. */
export interface RetentionOptions {
  /** How long a finished job is kept. Default 30 days. */
  readonly finished?: Duration.Input
  /** How many finished jobs are kept, those with a dead letter not counted. Default 1,000,000. */
  readonly jobs?: number
  /** How large the store may become, in bytes; finished jobs go until it is smaller. Default: no bound. */
  readonly bytes?: number
  /** How long the lines of an agent are kept that says nothing more. Default 7 days. */
  readonly logAge?: Duration.Input
  /** How many bytes the lines of all agents may take. Default 1 GiB. */
  readonly logBytes?: number
}

const dayMillis = 86_400_000

const bound = (path: string, value: number): Effect.Effect<number | null, ConfigInvalid> =>
  Number.isNaN(value) || value < 0
    ? Effect.fail(new ConfigInvalid({ path: `retention.${path}`, detail: `${value} is no number from 0 on` }))
    : Effect.succeed(value === Number.POSITIVE_INFINITY ? null : Math.floor(value))

/** The bounds that a host was given, and the default ones. */
export const boundsOf = Effect.fnUntraced(function* (options: RetentionOptions = {}) {
  const { bytes, jobDays, jobs } = defaults.retention
  const finished =
    options.finished === undefined
      ? jobDays * dayMillis
      : Duration.toMillis(Duration.fromInputUnsafe(options.finished))
  const bounds: Retention.RetentionBounds = {
    finishedMillis: yield* bound("finished", finished),
    jobs: yield* bound("jobs", options.jobs ?? jobs),
    bytes: yield* bound("bytes", options.bytes ?? bytes ?? Number.POSITIVE_INFINITY)
  }
  return bounds
})

/** The same for the lines of agents. */
export const logBoundsOf = Effect.fnUntraced(function* ({ logAge, logBytes }: RetentionOptions = {}) {
  const { bytes, millis } = LogKeeping.defaultBounds
  const age = logAge === undefined ? millis : Duration.toMillis(Duration.fromInputUnsafe(logAge))
  const bounds: LogBounds = {
    millis: yield* bound("logAge", age ?? Number.POSITIVE_INFINITY),
    bytes: yield* bound("logBytes", logBytes ?? bytes ?? Number.POSITIVE_INFINITY)
  }
  return bounds
})

/** The first look after the start, in milliseconds: also a host that is started for a few jobs each time forgets something. */
const firstMillis = 1_000

/** Jobs of a round's first transaction: what they weigh is not known yet. */
const firstChunk = 20

/** A sleep that ends so much later, in milliseconds, says that the event loop has other things to do. */
const lateMillis = 20

/** How many times as long as a transaction the pause after it is: when nothing else is to do, and when the event loop is loaded. */
const pauses = { idle: 1, loaded: 9 }

/** While another process holds the store, in milliseconds. */
const busyMillis = 1_000

export interface ForgetOptions {
  readonly host: HostRow
  readonly bounds: Retention.RetentionBounds
  readonly logs: OpenLogs
  readonly logBounds: LogBounds
  readonly ownership: Pick<Ownership, "confirm">
}

/** Whether this host is the one that forgets. */
const isKeeper = Effect.fnUntraced(function* (store: StoreService, self: HostRow) {
  const hosts = yield* allHosts(store)
  return !hosts.some(({ host, state }) => state === "live" && host < self.host)
})

/** Looks for ever, once a minute; ends where the host has lost its ownership. */
export const keep = Effect.fnUntraced(function* ({
  bounds,
  host,
  logBounds,
  logs,
  ownership
}: ForgetOptions) {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const monotonic = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  /** Gives way, and answers whether the event loop was late. */
  const giveWay = Effect.fnUntraced(function* (millis: number) {
    const from = monotonic()
    yield* Effect.sleep(millis)
    return monotonic() - from - millis > lateMillis
  })

  /** One transaction. A store that is busy is left alone for a while. */
  const forget = (wanted: Retention.Forgetting): Effect.Effect<number, StoreFailure> =>
    store
      .prune({ finished_before: wanted.before, limit: wanted.most })
      .pipe(
        Effect.catchTag("ORCH_STORE_BUSY", () => Effect.andThen(Effect.sleep(busyMillis), forget(wanted)))
      )

  /** A folder of many files is looked at less often: each look takes a hundredth of the time at most. */
  let tidyAt = 0
  const tidyLogs = Effect.gen(function* () {
    const from = monotonic()
    if (from < tidyAt) return
    const { files } = yield* logs.prune(logBounds, (jobIds) => knownJobs(store, jobIds))
    tidyAt = monotonic() + 100 * (monotonic() - from)
    if (files > 0) yield* Effect.logInfo(`${files} logs of agents were forgotten`)
  })

  const round = Effect.gen(function* () {
    if (!(yield* isKeeper(store, host))) return
    const done = new Set<string>()
    let chunk = firstChunk
    let gone = 0
    for (;;) {
      // A frozen host that wakes up writes nothing (R20).
      yield* ownership.confirm
      const now = instant(clock)
      const all = Retention.forgettings(bounds, yield* store.tally(now), now, chunk)
      const wanted = all.find((one) => !done.has(one.bound))
      if (wanted === undefined) break
      const from = monotonic()
      const count = yield* forget(wanted)
      const took = monotonic() - from
      gone += count
      // No more may go. (How many a bound on bytes asks for is a guess.)
      if (count === 0 || (count < wanted.most && wanted.bound !== "bytes")) done.add(wanted.bound)
      if (count === 0 && wanted.bound === "bytes")
        yield* Effect.logWarning(
          `the store takes more than ${bounds.bytes} bytes, and nothing finished is left to forget`
        )
      // Half of what it may take is aimed at: the next one may be heavier.
      if (took > defaults.pruning.millis / 2)
        chunk = Math.max(1, Math.floor((chunk * defaults.pruning.millis) / took / 4))
      else if (took < defaults.pruning.millis / 4) chunk = Math.min(defaults.pruning.jobs, chunk + firstChunk)
      const late = yield* giveWay(Math.max(1, took * pauses.idle))
      if (late) yield* Effect.sleep(took * pauses.loaded)
    }
    if (gone > 0) yield* Effect.logInfo(`${gone} finished jobs were forgotten`)
    yield* tidyLogs
  })

  yield* Effect.sleep(firstMillis)
  for (;;) {
    const lost = yield* round.pipe(
      Effect.as(false),
      Effect.catchTags({
        ORCH_HOST_FENCED: () => Effect.succeed(true),
        ORCH_STORE_BUSY: () => Effect.succeed(false),
        // The loop tells of a store that is in trouble.
        ORCH_STORE_BROKEN: () => Effect.succeed(false)
      })
    )
    if (lost) return
    yield* Effect.sleep(defaults.pruning.everyMillis)
  }
})
