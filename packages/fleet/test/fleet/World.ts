// The world of a fleet test: one memory store, a machine whose processes live and die as the test says, a clock that only the test moves,
// and as many hosts as it starts. What hosts have written is held to the tables when the test ends.
import {
  type CatalogueRow,
  type IntentDraftRow,
  type LifecycleEvent,
  Store,
  type StoreService
} from "@muster/core"
import { FaultyStore } from "@muster/core/testing"
import { Clock, Context, Effect, Exit, Layer, Logger, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Documents } from "../../src/adapters/documents/Documents.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as NodeDigest from "../../src/adapters/NodeDigest.ts"
import { HostProbe } from "../../src/adapters/process/HostProbe.ts"
import { ProcessReaper } from "../../src/adapters/process/ProcessReaper.ts"
import { Fleet, type FleetService } from "../../src/Fleet.ts"
import type { FleetOptions } from "../../src/FleetOptions.ts"
import { checkAudit } from "./Audited.ts"
import { checkStore } from "./Chains.ts"

export interface HostUnderTest {
  readonly fleet: FleetService
  /** What its agents carry (R20). */
  readonly token: string
  /** Its connection to the store. */
  readonly faults: FaultyStore.FaultyStore
  /** Ends it as an operator would. */
  readonly stop: Effect.Effect<void>
  /** Kills it: from now on nothing of it reaches the store. Unless `unseen`, its process is known to be gone at once. */
  readonly crash: (how?: "seen" | "unseen") => Effect.Effect<void>
}

const fakeMachine = () => {
  const gone = new Set<number>()
  const reaped: Array<string> = []
  const asked: Array<number> = []
  const identity = (pid: number) => ({ machine: "test", boot_id: "boot", pid, start_time: String(pid) })
  const layer = (pid: number) =>
    Layer.mergeAll(
      Layer.succeed(HostProbe, {
        self: Effect.succeed(identity(pid)),
        probe: (other) =>
          Effect.sync(() => {
            asked.push(other.pid)
            return gone.has(other.pid) ? "gone" : "unknown"
          })
      }),
      Layer.succeed(ProcessReaper, {
        find: () => Effect.succeed([]),
        reap: (tokens) =>
          Effect.sync(() => {
            reaped.push(...tokens)
            return { killed: [], left: [] }
          })
      })
    )
  return { gone, reaped, layer }
}

/** The clock of the test, but the machine may sleep: then its time jumps. */
const sleepyClock = (clock: Clock.Clock) => {
  let lost = 0
  const millis = () => clock.currentTimeMillisUnsafe() + lost
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(lost) * 1_000_000n
  // This clock stands still with the machine.
  const monotonic = () => clock.monotonicTimeNanosUnsafe()
  const sleepy: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeNanosUnsafe: nanos,
    monotonicTimeNanosUnsafe: monotonic,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanos: Effect.sync(monotonic),
    sleep: (duration) => clock.sleep(duration)
  }
  return {
    clock: sleepy,
    suspend: (time: number) =>
      Effect.sync(() => {
        lost += time
      })
  }
}

export interface World {
  /** Looks at the store without a host. */
  readonly store: StoreService
  /** Rows of the catalogue by which the store is audited when the test ends; those of hosts' options are added, those of plugins are not. */
  readonly codes: Array<CatalogueRow>
  /** What hosts have logged, one line a message. */
  readonly log: ReadonlyArray<string>
  /** Paths of documents that lead nowhere; all others do. */
  readonly missing: Set<string>
  /** The tokens of hosts whose processes were killed. */
  readonly reaped: ReadonlyArray<string>
  /** Starts a host. It is stopped at the end of the test, unless it was before. */
  readonly host: (
    options: FleetOptions,
    /** What is to go wrong with its store before it starts. */
    plan?: (faults: FaultyStore.FaultyStore) => void
  ) => Effect.Effect<HostUnderTest, Layer.Error<ReturnType<typeof Fleet.layer>>, Scope.Scope>
  /** The machine sleeps for so long, in milliseconds: the clocks of the hosts jump, and nothing runs meanwhile. */
  readonly suspend: (millis: number) => Effect.Effect<void>
}

/** Runs to its end what may need time when the test no longer gives any. */
const withTime = Effect.fnUntraced(function* (effect: Effect.Effect<void>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let turn = 1; fiber.pollUnsafe() === undefined; turn++) {
    yield* turn % 50 === 0 ? TestClock.adjust("1 second") : Effect.yieldNow
  }
})

const lineOf = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((part) =>
      typeof part === "string" ? part : part instanceof Error ? part.message : JSON.stringify(part)
    )
    .join(" ")

/** Enough turns of the scheduler for a loop's first pass. */
const firstPass = 20

/** An empty world. */
export const make: Effect.Effect<World, never, Scope.Scope> = Effect.gen(function* () {
  const data = MemoryStore.makeDriver()
  const codes: Array<CatalogueRow> = []
  const machine = fakeMachine()
  const time = sleepyClock(yield* Clock.Clock)
  const log: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void log.push(lineOf(message)))])
  const store = yield* Layer.build(Store.layerFromDriver(Effect.succeed(data))).pipe(
    Effect.map(Context.get(Store)),
    Effect.orDie
  )
  // Added first, so run last: when all hosts have stopped.
  yield* Effect.addFinalizer((exit) =>
    Exit.isSuccess(exit)
      ? Effect.orDie(Effect.andThen(checkStore(store), checkAudit(store, codes)))
      : Effect.void
  )
  const missing = new Set<string>()
  const shelf = Layer.succeed(Documents, {
    resolve: (references) =>
      Effect.sync(() => references.map(({ path }) => (missing.has(path) ? "no_document" : "resolved")))
  })
  let pids = 0

  const host: World["host"] = Effect.fnUntraced(function* (options, plan) {
    const pid = ++pids
    codes.push(...(options.codes ?? []))
    const faults = FaultyStore.make(data.reopen())
    plan?.(faults)
    const scope = yield* Scope.make()
    const stop = Scope.close(scope, Exit.void)
    yield* Effect.addFinalizer(() => Effect.andThen(faults.thaw, withTime(stop)))
    const layer = Fleet.layerNoDeps({ seed: 1, ...options }).pipe(
      Layer.provide([
        Store.layerFromDriver(Effect.succeed(faults.driver)),
        machine.layer(pid),
        NodeDigest.layer,
        shelf
      ]),
      Layer.provide(logger)
    )
    const context = yield* Layer.buildWithScope(layer, scope).pipe(
      Effect.provideService(Clock.Clock, time.clock)
    )
    const fleet = Context.get(context, Fleet)
    // A restart is a new host, so that in a fresh store a host and its epoch have one number.
    const { host: number } = yield* Effect.orDie(fleet.snapshot)
    // Its loop has made its first pass, and rests, when the test goes on.
    for (let turn = 0; turn < firstPass; turn++) yield* Effect.yieldNow
    const running: HostUnderTest = {
      fleet,
      token: `${store.id}:${number}:${number}`,
      faults,
      stop,
      crash: (how = "seen") =>
        Effect.andThen(
          faults.freeze,
          Effect.sync(() => {
            if (how === "seen") machine.gone.add(pid)
          })
        )
    }
    return running
  })

  return { store, codes, log, missing, reaped: machine.reaped, host, suspend: time.suspend }
})

/** The wish of an operator, as the command line writes it, that job number `seq` be cancelled. */
export const cancelOf = (seq: number): IntentDraftRow => ({
  kind: "cancel",
  job: seq,
  host: null,
  value: null,
  reason: "not needed",
  actor: "operator:ana",
  requested_at: 0,
  request_id: null
})

/** Waits until so many events have come that are as wanted, earlier ones included; answers the last of them. */
export const happened = (
  fleet: FleetService,
  wanted: (event: LifecycleEvent) => boolean,
  count = 1
): Effect.Effect<LifecycleEvent> =>
  fleet.events({ after: 0 }).pipe(
    Stream.filter(wanted),
    Stream.take(count),
    Stream.runLast,
    Effect.flatMap((last) => Effect.fromOption(last)),
    Effect.orDie
  )

/** A world with one host. */
export const withHost = (options: FleetOptions) =>
  Effect.flatMap(make, (world) =>
    Effect.map(world.host(options), (host) => ({ ...world, ...host, host: world.host }))
  )
