/**
 * The life of a fleet in this process: plugins, host, adoption, loop, and its stop in reverse. Wiring only: it decides nothing.
 */
import { ConfigInvalid, defaults, ErrorCatalogue, Intent, type Signal, Store, usedSlots } from "@muster/core"
import { type Cause, Clock, Deferred, Duration, Effect, Fiber, Option, Random, Tracer } from "effect"
import * as AgentLogs from "./adapters/logs/AgentLogs.ts"
import * as AgentSupervisor from "./agents/Agents.ts"
import { driftAtStart } from "./DriftAtStart.ts"
import type { FleetEnded, FleetService } from "./Fleet.ts"
import type { FleetOptions } from "./FleetOptions.ts"
import { instant, monotonic } from "./Instant.ts"
import * as Feed from "./jobs/EventFeed.ts"
import { feedback } from "./jobs/Feedback.ts"
import * as FleetJobs from "./jobs/FleetJobs.ts"
import * as FleetOperators from "./jobs/FleetOperators.ts"
import { recall } from "./jobs/Recall.ts"
import * as JobWaiters from "./jobs/Waiters.ts"
import * as Breakers from "./loop/Breakers.ts"
import * as Host from "./loop/Host.ts"
import * as Intents from "./loop/Intents.ts"
import * as Loop from "./loop/Loop.ts"
import { LoopPosition } from "./loop/LoopPosition.ts"
import * as LoopMailbox from "./loop/Mailbox.ts"
import * as Ownership from "./loop/Ownership.ts"
import * as Pressure from "./loop/Pressure.ts"
import * as Retention from "./loop/Retention.ts"
import * as StoreTrouble from "./loop/Trouble.ts"
import * as LoopTurn from "./loop/Turn.ts"
import * as FleetMessages from "./messages/FleetMessages.ts"
import * as Office from "./messages/Office.ts"
import * as HostGauges from "./observability/Gauges.ts"
import * as HostMeters from "./observability/Meters.ts"
import * as Observation from "./plugins/Observation.ts"
import * as PluginHost from "./plugins/PluginHost.ts"
import { guardLanding } from "./plugins/ServedWorkflow.ts"
import { reflectionPlugin } from "./reflection/BuiltInPlugin.ts"
import * as Reflection from "./reflection/Reflection.ts"

const millis = (input: Duration.Input | undefined, otherwise: number): number =>
  input === undefined ? otherwise : Duration.toMillis(Duration.fromInputUnsafe(input))

/** How long a lease lasts and how often it is renewed, in milliseconds. */
const leaseOf = Effect.fnUntraced(function* ({ lease }: Pick<FleetOptions, "lease">) {
  const leaseMillis = millis(lease?.lease, defaults.leaseMillis)
  const renewalMillis = millis(lease?.renewal, defaults.renewalMillis)
  if (renewalMillis > 0 && 2 * renewalMillis <= leaseMillis) return { leaseMillis, renewalMillis }
  const detail = `a renewal every ${renewalMillis} ms keeps no lease of ${leaseMillis} ms: at most half of it does`
  return yield* new ConfigInvalid({ path: "lease", detail })
})

/** Waits until nothing runs, or the time is over. */
const settle = (waiters: JobWaiters.Waiters, ring: () => void, wait: number) =>
  wait <= 0 ? Effect.void : Effect.timeoutOption(Effect.andThen(Effect.sync(ring), waiters.quiet), wait)

/** Spans of what goes on all the time are of level Debug. */
const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Tracer.CurrentTraceLevel, "Debug")

/** Where a simulation reaches in; in life nobody does. */
export interface Seams {
  /** Given what an agent brings back, and what hands it to the loop. */
  readonly report?: (signal: Signal, post: (signal: Signal) => void) => void
}

/** Starts the fleet in this scope. */
export const make = Effect.fnUntraced(function* <R>(options: FleetOptions<R>, { report }: Seams = {}) {
  const store = yield* Store
  const clock = yield* Clock.Clock
  const slots = options.slots ?? defaults.slots
  if (!Number.isSafeInteger(slots) || slots < 1) {
    return yield* new ConfigInvalid({ path: "slots", detail: `${slots} is no whole number from 1 on` })
  }
  const seed = options.seed ?? (yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER))

  // The layer asks for R, and every fiber below inherits the context that it is built in.
  const own = options as FleetOptions
  const loaded = yield* PluginHost.load(
    [...(own.reflects === false ? [] : [reflectionPlugin]), ...(own.plugins ?? [])],
    own.workflows
  )
  const catalogue = yield* ErrorCatalogue.compile([...loaded.codes, ...(own.codes ?? [])])
  const workflows = new Map(Array.from(loaded.served, ([name, { policy }]) => [name, policy]))

  const lease = yield* leaseOf(options)
  const bounds = yield* Retention.boundsOf(options.retention)
  const logBounds = yield* Retention.logBoundsOf(options.retention)
  const floors = yield* Pressure.floorsOf(options.floors)
  yield* driftAtStart({
    mode: own.drift ?? "audit",
    registered: loaded.facets.map(({ item }) => item),
    reflects: own.reflects !== false,
    declares: own.declares ?? []
  })
  const host = yield* Host.enlist
  const mailbox = yield* LoopMailbox.make
  const waiters = yield* JobWaiters.make
  const feed = yield* Feed.make
  const ended = yield* Deferred.make<never, FleetEnded>()
  const context = yield* Effect.context<Store>()

  const trouble = yield* StoreTrouble.make
  const ownership = yield* Ownership.make(host, lease.leaseMillis, trouble)
  // A host that has lost its fence begins no landing: it is about to end.
  const owns = ownership.confirm.pipe(Effect.catch(() => Effect.never))
  const served = new Map(Array.from(loaded.served, ([name, one]) => [name, guardLanding(one, owns)]))
  const { burials, office } = yield* Office.open(host, served, mailbox.ring)
  const meters = yield* HostMeters.make({ catalogue, workflows: workflows.keys() })
  const turn = yield* LoopTurn.make({ host, slots, seed, catalogue, workflows, burials, meters })
  const gauges = yield* HostGauges.register({ host, turn, mailbox, trouble, workflows: workflows.keys() })
  const logs = own.logs === false ? AgentLogs.none : yield* (yield* AgentLogs.AgentLogs).open(store.name)
  const agents = yield* AgentSupervisor.make({
    served,
    token: Host.hostToken(store.id, host),
    office,
    logs,
    post: report === undefined ? mailbox.report : (signal) => report(signal, mailbox.report),
    feedback: (job) => Effect.provide(feedback(job), context),
    recall: (job) => Effect.provide(recall(job), context),
    hungMillis: millis(options.stop, defaults.hostStopMillis) / 2,
    onHung: (count) => {
      turn.state.hung = count
      mailbox.ring()
    },
    meters
  })
  const intents = yield* Intents.makeLook({ self: host, state: turn.state, post: mailbox.command })
  const watch = yield* Host.makeWatch(host, lease.leaseMillis, mailbox.command)
  yield* watch.look
  // Before the loop writes its first event: observers see that one too.
  const before = yield* feed.latest
  const forgetting = yield* Effect.forkScoped(Retention.keep({ host, bounds, logs, logBounds, ownership }))
  yield* Effect.forkScoped(
    Pressure.watch(store.name, floors, (scarce) => {
      turn.state.scarce = scarce
      mailbox.ring()
    })
  )
  const unsure = Effect.sync(() => {
    turn.state.restless = true
    turn.state.mayHaveReady = true
    mailbox.ring()
  })
  const reflection = yield* Reflection.make({
    facets: loaded.facets,
    look: { host, turn, trouble, catalogue, workflows: [...workflows.keys()] },
    post: mailbox.command,
    lookAgain: unsure
  })
  const reflecting = yield* Effect.forkScoped(quietly(reflection.run))

  /**
   * The host has come to its end by itself: its agents die, and nothing more is written (R20). By a defect too: a bug of ours ends it
   * aloud, and whoever waits is told.
   */
  const end = Effect.fnUntraced(function* (cause: Cause.Cause<FleetEnded>) {
    yield* Effect.logError("the host has come to its end", cause)
    yield* Deferred.failCause(ended, cause)
    yield* Fiber.interruptAll([forgetting, reflecting])
    yield* agents.kill
  })
  const position = new LoopPosition(meters.moved)
  const loop = yield* Effect.forkScoped(
    Effect.catchCause(
      Loop.run({
        host,
        mailbox,
        turn,
        agents,
        waiters,
        intents: intents.look,
        announce: feed.announce,
        trouble,
        ownership,
        position,
        meters,
        gauges
      }),
      end
    )
  )
  const keeping = Host.keepLease(lease.renewalMillis, {
    isOver: () => Deferred.isDoneUnsafe(ended),
    renew: ownership.renew,
    trouble,
    watch: watch.look
  })
  const renewing = yield* Effect.forkScoped(Effect.catchCause(keeping, end))

  const glance = Effect.gen(function* () {
    const now = instant(clock)
    const tally = yield* Host.patiently(store.tally(now))
    gauges.tallied(tally)
    return { slots: turn.slots(), usedSlots: usedSlots(turn.state.owned), tally }
  })
  yield* quietly(Observation.start(loaded.observers, feed, before))

  let stopped = false

  /** Stop intake, let agents finish, hand the rest back unburnt, leave the store: under one deadline. */
  const stop = Effect.gen(function* () {
    yield* Fiber.interruptAll([forgetting, reflecting])
    turn.state.refills = false
    mailbox.ring()
    const total = millis(options.stop, defaults.hostStopMillis)
    const drain = Math.min(millis(options.drain, 0), total)
    const from = monotonic(clock)
    yield* settle(waiters, mailbox.ring, drain)
    mailbox.command({ _tag: "Stopping" })
    const left = () => total - (monotonic(clock) - from)
    yield* settle(waiters, mailbox.ring, left())
    yield* Fiber.interrupt(renewing)
    yield* Fiber.interrupt(loop)
    office.close()
    yield* Effect.timeoutOption(turn.last, Math.max(left(), defaults.changedMillis * 10))
    const at = instant(clock)
    // A store that stays busy must not hold up the stop: others take this host for lost then.
    yield* Host.patiently(
      store.fence({ host: host.host, epoch: host.epoch, beat: null, as: "stopped", at })
    ).pipe(
      Effect.timeout(Math.max(left(), defaults.changedMillis * 10)),
      Effect.catch((error) => Effect.logError("the host could not be signed off", error))
    )
    stopped = true
    // Whoever still waits for something of this fleet waits no longer: that is no failure.
    yield* Deferred.interrupt(ended)
  })
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Deferred.poll(ended), (over) =>
      Option.isSome(over) ? Effect.void : Effect.raceFirst(stop, Effect.exit(Deferred.await(ended)))
    )
  )
  const { look } = intents
  const jobs = yield* FleetJobs.make({
    mailbox,
    waiters,
    feed,
    ended,
    workflows,
    host,
    look,
    unsure,
    lines: agents.lines
  })
  const operators = yield* FleetOperators.make({ host, waiters, ended, look, unsure, mailbox, turn })
  const service: FleetService = {
    ...jobs,
    ...operators,
    ...FleetMessages.make(office, host.host, ended),
    agents: agents.glimpses,
    facets: reflection.glimpses,
    snapshot: Effect.gen(function* () {
      const view = yield* glance
      return {
        host: host.host,
        mode: stopped ? "stopped" : Intent.modeOf(turn.state.control, !turn.state.refills),
        slots: view.slots,
        usedSlots: view.usedSlots,
        hung: turn.state.hung,
        workflows: [...workflows.keys()],
        startedAt: host.enlisted_at,
        loop: {
          state: position.state,
          reason: position.reason,
          turns: turn.state.turn,
          bankedAt: position.bankedAt
        },
        throughput: turn.throughput(),
        spent: agents.spent(),
        breakers: Breakers.openOf(turn.state.breakers),
        trouble: trouble.now(),
        agents: yield* agents.glimpses,
        tally: view.tally
      }
    }),
    ended: Deferred.await(ended)
  }
  return service
})
