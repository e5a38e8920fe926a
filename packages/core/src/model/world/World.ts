/**
 * A fleet in a handful of plain values: a store's rows, hosts with their mailboxes, and fibers that are only names. Whatever moves it (a
 * random walk, a search of all states) runs the very functions that run the fleet. Immutable: a step gives another world.
 */
import type { Agent } from "../../domain/Agent.ts"
import type { Phase } from "../../domain/AgentMachine.ts"
import type { DeadLetterDraft } from "../../domain/DeadLetter.ts"
import type { Catalogue } from "../../domain/ErrorCatalogue.ts"
import { isRunnable, type Job, jobId } from "../../domain/Job.ts"
import { isOver, JobMachine } from "../../domain/JobMachine.ts"
import type { EventDraft } from "../../domain/LifecycleEvent.ts"
import type { Marker } from "../../domain/Marker.ts"
import type { RetryEntry } from "../../domain/turn/Draft.ts"
import type { Env } from "../../domain/turn/Env.ts"
import type { Signal } from "../../domain/turn/Signal.ts"
import type { WorkflowPolicy } from "../../domain/WorkflowPolicy.ts"

/** What never changes in a world. */
export interface Rules {
  readonly catalogue: Catalogue
  readonly workflows: ReadonlyMap<string, WorkflowPolicy>
  readonly seed: number
  /** Of each host. */
  readonly slots: number
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
  /** The largest fencing token that the lander's target has seen. */
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
  readonly step: "idle" | "asked" | "granted" | "done" | "told"
}

export interface Host {
  readonly host: number
  readonly epoch: number
  /** Its process runs: false once it has crashed or left. */
  readonly runs: boolean
  /** The store takes its writes. A host that runs and is not living was fenced and doesn't know it yet. */
  readonly living: boolean
  readonly refills: boolean
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
  /** What must never happen and has happened. */
  readonly alarms: ReadonlyArray<string>
}

/** An empty store and no host. */
export const create = (rules: Rules): World => ({
  rules,
  now: 1_000_000,
  jobs: new Map(),
  hosts: [],
  cancels: [],
  answers: [],
  alarms: []
})

export const withHost = (world: World, host: Host): World => ({
  ...world,
  hosts: world.hosts.map((other) => (other.epoch === host.epoch ? host : other))
})

export const withStored = (world: World, stored: Stored): World => ({
  ...world,
  jobs: new Map(world.jobs).set(stored.job.seq, stored)
})

export const alarm = (world: World, text: string): World => ({ ...world, alarms: [...world.alarms, text] })

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
  if (agent === null) return false
  if (agent.owner !== null) return !isLiving(world, agent.owner.epoch)
  return agent.state === "landed" || agent.standing === "closing"
}

/** The peek: due jobs that nobody owns, by priority, then due time, then arrival (R7). */
export const ready = (world: World, limit: number): ReadonlyArray<Stored> =>
  Array.from(world.jobs.values())
    .filter(({ job }) => isRunnable(job) && job.runAt <= world.now)
    .toSorted(({ job: a }, { job: b }) => b.priority - a.priority || a.runAt - b.runAt || a.seq - b.seq)
    .slice(0, limit)

/** Whether nothing is left to be done: each job is over and its agent tombstoned, if it ever had one. */
export const isDone = (world: World): boolean =>
  Array.from(world.jobs.values()).every(
    ({ job }) => isOver(job.state) && (job.agent === null || job.agent.state === "tombstoned")
  )

/** Enlists a host under a new epoch. */
export const enlist = (world: World, host: number): World => ({
  ...world,
  hosts: [
    ...world.hosts,
    {
      host,
      epoch: world.hosts.length + 1,
      runs: true,
      living: true,
      refills: true,
      owned: new Map(),
      inbox: [],
      taken: [],
      fibers: new Map()
    }
  ]
})

/** A job in PENDING, with the event of its creation. */
export const submit = (
  world: World,
  draft: {
    readonly workflowType: string
    readonly payload: string
    readonly priority: number
    readonly maxRetries: number
    readonly runAt: number
  }
): World => {
  const { now } = world
  const seq = world.jobs.size + 1
  const { payload, ...rest } = draft
  const job: Job = {
    seq,
    jobId: jobId("w", seq),
    version: 1,
    idempotencyKey: `key-${seq}`,
    payloadFingerprint: "",
    state: JobMachine.initial,
    createdAt: now,
    updatedAt: now,
    retryCount: 0,
    lastErrorCode: null,
    correlationId: jobId("w", seq),
    traceContext: null,
    replayOf: null,
    supersededBy: null,
    hold: null,
    agent: null,
    ...rest
  }
  const creation: EventDraft = {
    subjectKind: "job",
    event: JobMachine.creation.event,
    fromState: null,
    toState: job.state,
    transitionReason: "submitted",
    errorCode: null,
    actor: "caller:world",
    occurredAt: now,
    incarnation: 0,
    detail: null
  }
  return withStored(world, {
    job,
    payload,
    events: [creation],
    retries: [],
    markers: new Map(),
    letter: null,
    result: null,
    writes: 1,
    landings: 0,
    passes: new Set(),
    places: new Set(),
    workedIn: null,
    turnedDown: new Set(),
    token: 0,
    payments: 0,
    renewed: []
  })
}
