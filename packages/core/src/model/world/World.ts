/**
 * A fleet in a handful of plain values: a store's rows, hosts with their mailboxes, and fibers that are only names. Whatever moves it (a
 * random walk, a search of all states) runs the very functions that run the fleet. Immutable: a step gives another world.
 */
import type { Agent } from "../../domain/Agent.ts"
import type { Phase } from "../../domain/AgentMachine.ts"
import type { DeadLetterDraft } from "../../domain/DeadLetter.ts"
import type { Catalogue } from "../../domain/ErrorCatalogue.ts"
import * as Intent from "../../domain/Intent.ts"
import { isRunnable, type Job } from "../../domain/Job.ts"
import { isOver } from "../../domain/JobMachine.ts"
import type { EventDraft } from "../../domain/LifecycleEvent.ts"
import type { Marker } from "../../domain/Marker.ts"
import type { RetryEntry } from "../../domain/turn/Draft.ts"
import type { Env } from "../../domain/turn/Env.ts"
import type { Signal } from "../../domain/turn/Signal.ts"
import type { WorkflowPolicy } from "../../domain/WorkflowPolicy.ts"
import type { Alarm, AlarmName } from "./Alarm.ts"
import { type Behaviour, real } from "./Behaviour.ts"

/** What never changes in a world. */
export interface Rules {
  readonly catalogue: Catalogue
  readonly workflows: ReadonlyMap<string, WorkflowPolicy>
  readonly seed: number
  /** Of each host. */
  readonly slots: number
  /** Left out: what runs the fleet. */
  readonly behaviour?: Behaviour
}

/** A job with all that the store keeps of it, and what only the outside of the fleet knows. */
export interface Stored {
  readonly job: Job
  /** JSON text. */
  readonly payload: string
  readonly events: ReadonlyArray<EventDraft>
  readonly retries: ReadonlyArray<RetryEntry>
  readonly markers: ReadonlyMap<string, Marker>
  readonly letter: DeadLetterDraft | null
  /** The job that replays it, once there is one; kept apart from its row, which its owner writes. */
  readonly supersededBy: number | null
  readonly result: string | null
  /** Commits that have written the row. */
  readonly writes: number
  /** How often the lander's effect has happened in the outside world. */
  readonly landings: number
  /** The results that have passed all gates. */
  readonly passes: ReadonlySet<string>
  /** Workspaces that stand in the outside world and that somebody has to know of. */
  readonly places: ReadonlySet<string>
  /** Where the work was done whose result the commit marker holds; null for no workspace. */
  readonly workedIn: string | null
  /** Results that a gate or a lander has turned down. */
  readonly turnedDown: ReadonlySet<string>
  /** The largest fencing token that the lander's target has seen: that of the latest incarnation that has asked it or has landed. */
  readonly token: number
  /** How often the step of its agents was done in the outside world. */
  readonly payments: number
  /** How many of its events had happened each time that the restart budget began anew. */
  readonly renewed: ReadonlyArray<number>
}

/** One phase of an agent that runs on a host. */
export interface Fiber {
  readonly seq: number
  readonly incarnation: number
  readonly phase: Phase
  /** What is verified or landed, JSON text; empty in other phases. */
  readonly result: string
  /** The workspace that it works in, or found from before; null for none. */
  readonly workspace: string | null
  /** It was interrupted and has not ended yet. */
  readonly stopping: boolean
  /** A landing that may have happened before: it only asks the lander. */
  readonly asks: boolean
  /** How far its work is with the step that is to be done once. */
  readonly step: "idle" | "asked" | "granted" | "done" | "told" | "clearing"
}

export interface Host {
  readonly host: number
  readonly epoch: number
  /** Its process runs: false once it has crashed or left. */
  readonly runs: boolean
  /** The store takes its writes. A host that runs and is not living was fenced and doesn't know it yet. */
  readonly living: boolean
  readonly refills: boolean
  /** What it knows of what operators want of it, since it has last looked. */
  readonly control: Intent.Control
  readonly owned: ReadonlyMap<number, Job>
  readonly inbox: ReadonlyArray<Signal>
  /** Signals that it has taken; each may come again. */
  readonly taken: ReadonlyArray<Signal>
  readonly fibers: ReadonlyMap<number, Fiber>
}

/** What somebody has asked for, and what came of it; null while it is open. */
interface Cancel {
  readonly job: number
  readonly outcome: string | null
}

/** What an operator says about a step, and what came of it; null while it is open. */
interface Answer {
  readonly job: number
  /** The incarnation whose step it speaks of. */
  readonly askedOf: number
  readonly done: boolean
  readonly outcome: string | null
}

export interface World {
  readonly rules: Rules
  /** Epoch ms. */
  readonly now: number
  readonly jobs: ReadonlyMap<number, Stored>
  readonly hosts: ReadonlyArray<Host>
  readonly cancels: ReadonlyArray<Cancel>
  readonly answers: ReadonlyArray<Answer>
  /** What operators want of hosts, as far as nobody has settled it. */
  readonly intents: ReadonlyArray<Intent.OpenIntent>
  /** What must never happen and has happened. */
  readonly alarms: ReadonlyArray<Alarm>
}

/** An empty store and no host. */
export const create = (rules: Rules): World => ({
  rules,
  now: 1_000_000,
  jobs: new Map(),
  hosts: [],
  cancels: [],
  answers: [],
  intents: [],
  alarms: []
})

export const hostOf = (world: World, epoch: number): Host => {
  const host = world.hosts.find((candidate) => candidate.epoch === epoch)
  if (host === undefined) throw new Error(`there is no epoch ${epoch}`)
  return host
}

export const withHost = (world: World, host: Host): World => ({
  ...world,
  hosts: world.hosts.map((other) => (other.epoch === host.epoch ? host : other))
})

export const withStored = (world: World, stored: Stored): World => ({
  ...world,
  jobs: new Map(world.jobs).set(stored.job.seq, stored)
})

/** Something that a world can tell of itself alone, while it happens: no later look at it would. */
export const alarm = (world: World, name: AlarmName, text: string): World => ({
  ...world,
  alarms: [...world.alarms, { name, text }]
})

export const behaviourOf = ({ rules }: World): Behaviour => rules.behaviour ?? real

/** Gives signals to a host's mailbox; one whose process is over hears nothing. */
export const post = (world: World, epoch: number, ...signals: ReadonlyArray<Signal>): World => ({
  ...world,
  hosts: world.hosts.map((host) =>
    host.epoch === epoch && host.runs ? { ...host, inbox: [...host.inbox, ...signals] } : host
  )
})

/** What a host's decisions may look at. */
export const envOf = ({ cancels, now, rules }: World, { epoch, host }: Host): Env => ({
  now,
  seed: rules.seed,
  owner: { host, epoch },
  actor: `host:${host}`,
  catalogue: rules.catalogue,
  workflows: rules.workflows,
  cancels: new Map(
    cancels.flatMap(({ job, outcome }, intent) =>
      outcome === null ? [[job, { reason: "operator", actor: "operator:world", intent }]] : []
    )
  )
})

/** Whether the store takes writes of this epoch. */
export const isLiving = (world: World, epoch: number): boolean =>
  world.hosts.some((host) => host.epoch === epoch && host.living)

/** Owned by an epoch that is over, or unowned and still to be archived or cleaned. */
export const isOrphaned = (world: World, agent: Agent | null): boolean => {
  if (agent === null || (agent.owner !== null && isLiving(world, agent.owner.epoch))) return false
  return behaviourOf(world).isOwed(agent)
}

/** The peek: due jobs that nobody owns, by priority, then due time, then arrival (R7). `first`: the one that comes before all others. */
export const ready = (world: World, limit: number, first?: number): ReadonlyArray<Stored> =>
  Array.from(world.jobs.values())
    .filter(({ job }) => isRunnable(job) && job.runAt <= world.now)
    .toSorted(
      ({ job: a }, { job: b }) =>
        Number(b.seq === first) - Number(a.seq === first) ||
        b.priority - a.priority ||
        a.runAt - b.runAt ||
        a.seq - b.seq
    )
    .slice(0, limit)

/** Whether nothing is left to be done: each job is over and its agent tombstoned, if it ever had one. */
export const isDone = (world: World): boolean =>
  Array.from(world.jobs.values()).every(
    ({ job }) => isOver(job.state) && (job.agent === null || job.agent.state === "tombstoned")
  )

const newHost = (world: World, host: number, intents: World["intents"]): Host => ({
  host,
  epoch: world.hosts.reduce((latest, { epoch }) => Math.max(latest, epoch), 0) + 1,
  runs: true,
  living: true,
  refills: true,
  control: Intent.controlOf(intents, host),
  owned: new Map(),
  inbox: [],
  taken: [],
  fibers: new Map()
})

/** Enlists a host under a new epoch. */
export const enlist = (world: World, host: number): World => {
  const intents = behaviourOf(world).openAtStart(world.intents)
  return { ...world, intents, hosts: [...world.hosts, newHost(world, host, intents)] }
}
