/**
 * Everything that one simulation consists of: the machine, the store with its ledger, the world outside, hosts and an operator. It knows how
 * to let something begin; when it begins is the plan's.
 */
import { Intent, type Signal, type StoreDriver } from "@muster/core"
import { Effect, type Scope } from "effect"
import { Chance } from "./Chance.ts"
import { Ledger } from "./Ledger.ts"
import { epochOf, Outside } from "./Outside.ts"
import type { HostPlan, Plan } from "./Plan.ts"
import { Program } from "./Program.ts"
import { SimulatedHost } from "./SimulatedHost.ts"
import { type Calls, connect, type StoreWorld } from "./SimulatedStore.ts"
import { makeSystem } from "./SimulatedSystem.ts"
import { makeWorkflows } from "./SimulatedWorkflows.ts"
import type { Stage } from "./Stage.ts"
import { Trace } from "./Trace.ts"
import { Verdict } from "./Verdict.ts"
import { VirtualTime } from "./VirtualTime.ts"

/** Codes with waits that a simulation has time for; one that rests in FAILED (R3). */
export const codes = [
  { code: "EXT_FLAKY", backoffBaseSeconds: 0.2, maxBackoffSeconds: 2 },
  { code: "EXT_LIMITED", backoffBaseSeconds: 0.2, maxBackoffSeconds: 2 },
  { code: "DQ_PLAIN", quarantine: false }
]

/** Shorter than in life, in milliseconds: a simulation waits for it often. */
const lease = { lease: 3_000, renewal: 700 }

/** A connection to the store under test, as another process would have it. */
export type OpenStore = Effect.Effect<StoreDriver, never, Scope.Scope>

/** By then a host has seen what operators want, in milliseconds. */
const seenMillis = 2_000

/** A step's word has one asker, who hears one answer: it doesn't come twice. */
const repeatable = (tag: Signal["_tag"]): boolean => tag !== "MarkerStarted" && tag !== "MarkerFinished"

export class SimulatedFleet {
  readonly codes = codes
  readonly time: VirtualTime
  readonly verdict: Verdict
  readonly trace: Trace
  readonly ledger: Ledger
  readonly outside: Outside
  readonly hosts: Array<SimulatedHost> = []
  readonly operator: Program
  readonly operatorDriver: StoreDriver
  /** Effects that wait for their turn: calls that have reached the store, and fibers that begin. */
  readonly runs: Calls = []
  readonly plan: Plan
  /** Nothing goes wrong any more. */
  calm = false
  /** Until then somebody holds the store. */
  lockedUntil = 0
  /** Until then the store's medium takes nothing more. */
  fullUntil = 0
  private readonly chance: Chance
  private readonly store: StoreWorld
  private readonly openStore: OpenStore

  constructor(plan: Plan, openStore: OpenStore, traced: boolean) {
    this.plan = plan
    this.openStore = openStore
    this.chance = new Chance(plan.seed)
    this.time = new VirtualTime(this.chance.fork("steps"))
    const now = () => this.time.now
    this.verdict = new Verdict(now)
    this.trace = new Trace(now, traced)
    this.ledger = new Ledger(this.verdict, {
      now,
      taken: (epoch, seq) => this.taken(epoch, seq),
      completed: (seq) => this.outside.completed(seq, this.workflowOf(seq)),
      slotsOf: (epoch) => this.slotsOf((host) => host.options.connection.epoch() === epoch)
    })
    this.outside = new Outside({
      ledger: this.ledger,
      verdict: this.verdict,
      trace: this.trace,
      slotsOf: (token) => this.slotsOf((host) => epochOf(token) === host.options.connection.epoch()),
      unknownOf: (seq) => this.workflowOf(seq)?.unknown ?? "ask"
    })
    this.store = {
      time: this.time,
      calls: this.runs,
      ledger: this.ledger,
      trace: this.trace,
      troubled: () => !this.calm,
      locked: () => this.time.now < this.lockedUntil,
      full: () => this.time.now < this.fullUntil
    }
    const process = this.time.process("operator")
    const { runs, trace, verdict } = this
    this.operator = new Program({ process, seed: plan.seed, runs, trace, verdict })
    this.operatorDriver = this.connect("operator", process).driver
  }

  private stage(maker: string, killHost: () => void): Stage {
    const { ledger, outside, plan, time, trace } = this
    const numberOf = (seq: number) => ledger.entries.get(seq)?.n ?? 0
    return { plan, outside, trace, now: () => time.now, numberOf, maker, killHost }
  }

  private workflowOf(seq: number) {
    const name = this.ledger.entries.get(seq)?.row.workflow_type
    return this.plan.workflows.find((workflow) => workflow.name === name)
  }

  /** The most slots that the host may think it has: what it was started with, or what anybody has ever wished. */
  private slotsOf(isIt: (host: SimulatedHost) => boolean): number {
    const host = this.hosts.find(isIt)
    let most = host?.options.plan.slots ?? 0
    for (const [intent, { draft }] of this.ledger.wishes) {
      if (draft.kind !== "scale") continue
      const one = { intent, kind: draft.kind, host: null, value: draft.value }
      most = Math.max(most, Intent.controlOf([one], 0).slots ?? 0)
    }
    return most
  }

  private connect(name: string, process: Parameters<typeof connect>[1]) {
    let opened: StoreDriver | null = null
    // Its turn comes before that of any call.
    this.runs.push(
      Effect.map(this.openStore, (driver) => {
        opened = driver
      })
    )
    const driver = (): StoreDriver => {
      if (opened === null) throw new Error(`${name} has no connection`)
      return opened
    }
    return connect(this.store, process, driver, this.plan.trouble, this.chance.fork(`store of ${name}`))
  }

  /** Hosts that take part, frozen ones included. */
  up(): ReadonlyArray<SimulatedHost> {
    return this.hosts.filter(({ state }) => state === "up")
  }

  /** The host that a number chooses among those that are up. */
  choose(number: number): SimulatedHost | undefined {
    const up = this.up()
    return up[number % Math.max(1, up.length)]
  }

  /** The intents that nobody has settled, as a host would read them. */
  openIntents(): ReadonlyArray<Intent.OpenIntent> {
    return Array.from(this.ledger.wishes).flatMap(([intent, { draft, outcome }]) =>
      outcome === null ? [{ intent, kind: draft.kind, host: draft.host, value: draft.value }] : []
    )
  }

  startHost(plan: HostPlan): void {
    const pid = this.hosts.length + 1
    const name = `host ${pid}`
    const { runs, trace, verdict } = this
    const process = this.time.process(name)
    const chance = this.chance.fork(name)
    const stage = this.stage(name, () => {
      if (!this.calm) host.crash(true)
    })
    const all = [...makeWorkflows(stage)]
    const workflows = new Map(plan.partly ? all.slice(0, 1) : all)
    const host = new SimulatedHost({
      process,
      seed: this.plan.seed,
      runs,
      trace,
      verdict,
      plan,
      pid,
      connection: this.connect(name, process),
      workflows,
      fleet: {
        workflows: [...workflows.values()],
        slots: plan.slots,
        codes,
        seed: this.plan.seed,
        lease,
        stop: plan.stopMillis,
        drain: plan.drainMillis
      },
      stands: () => this.ledger.living.has(host.options.connection.epoch()),
      report: (signal, post) => {
        const whose = "seq" in signal ? ` of job ${signal.seq} life ${signal.incarnation}` : ""
        trace.tell(name, () => `hears ${signal._tag}${whose}`)
        post(signal)
        if (this.calm || !repeatable(signal._tag) || !chance.is(this.plan.repeated)) return
        this.time.after(chance.is(0.4) ? 0 : chance.span(1, 4_000), () =>
          process.schedule(() => post(signal))
        )
      },
      system: makeSystem(pid, this, chance)
    })
    this.hosts.push(host)
  }

  /** A host has taken a job: not while operators hold it, for longer than it takes to see that (R22). */
  private taken(epoch: number, seq: number): void {
    const host = this.hosts.find(({ options }) => options.connection.epoch() === epoch)
    if (host === undefined) return
    const { connection } = host.options
    const from = this.time.now - seenMillis
    if (Math.max(host.disturbedAt, connection.troubledAt(), this.lockedUntil, this.fullUntil) > from) return
    const wishes = Array.from(this.ledger.wishes.values())
    const isHeld = wishes.some(
      ({ at, draft, outcome }) =>
        outcome === null &&
        at < from &&
        (draft.kind === "pause" ||
          (draft.kind === "drain" && (draft.host === null || draft.host === connection.host())))
    )
    const isResumed = wishes.some(({ at, draft }) => draft.kind === "resume" && at >= from)
    if (isHeld && !isResumed) this.verdict.blame("works while held", `${host.process.name} takes job ${seq}`)
  }

  /** Stops all processes for so long, as a machine that sleeps. */
  suspend(millis: number): void {
    for (const { process } of [this.operator, ...this.hosts]) this.freeze(process, millis)
  }

  freeze(process: SimulatedHost["process"], millis: number): void {
    process.freeze()
    this.time.after(millis, () => this.thaw(process))
  }

  private thaw(process: SimulatedHost["process"]): void {
    process.thaw()
    for (const host of this.hosts) if (host.process === process) host.disturbedAt = this.time.now
  }

  /** From here on nothing goes wrong any more. */
  beginCalm(): void {
    this.trace.tell("world", () => "calm begins")
    this.calm = true
    this.lockedUntil = 0
    this.fullUntil = 0
    for (const { process } of [this.operator, ...this.hosts]) this.thaw(process)
  }
}
