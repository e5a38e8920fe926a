/**
 * The store of the world, by its contract: what it writes, what it refuses, and who may not write any more.
 */
import { JobMachine } from "../../domain/JobMachine.ts"
import { isFinal } from "../../domain/Machine.ts"
import type { Command } from "../../domain/turn/Command.ts"
import { type Change, type Draft, isEmpty } from "../../domain/turn/Draft.ts"
import { alarm, behaviourOf, type Host, hostOf, isLiving, type World, withHost, withStored } from "./World.ts"

/** Intents from here on are answers about steps; those before are cancels. */
export const firstAnswer = 100_000

/** A decision that is not committed yet. */
export interface Decided {
  readonly epoch: number
  /** The places in the mailbox of the signals that it was decided on. */
  readonly took: ReadonlyArray<number>
  readonly draft: Draft
}

/** Whether the store lets the host write the row (R8): version and owner are both looked at. */
export const mayWrite = (
  world: World,
  { contested, job, version }: Change,
  writer: number | null
): boolean => {
  const { admitsOwner, admitsVersion } = behaviourOf(world)
  const row = world.jobs.get(job.seq)?.job
  if (row === undefined || !admitsVersion(row.version, version)) return false
  const owner = row.agent?.owner ?? null
  return owner === null || !isLiving(world, owner.epoch) || admitsOwner(contested, owner.epoch === writer)
}

export const write = (world: World, change: Change): World => {
  const before = world.jobs.get(change.job.seq)
  if (before === undefined) throw new Error(`there is no job ${change.job.seq}`)
  const { job } = change
  const { agent } = before.job
  // The hung life keeps its place to itself (R5).
  const given =
    agent?.hung === true && job.agent?.hung === false && job.agent.phase !== "land" ? agent.workspace : null
  const down = change.events.some(
    ({ transitionReason: reason }) => reason === "gate_rejected" || reason === "landing_rejected"
  )
  const commit = before.markers.get("commit")?.result ?? ""
  const renewed = (agent?.restarts.length ?? 0) > 0 && job.agent?.restarts.length === 0
  const after = withStored(world, {
    ...before,
    job,
    events: [...before.events, ...change.events],
    retries: change.retry === null ? before.retries : [...before.retries, change.retry],
    markers: new Map([...before.markers, ...change.markers.map((marker) => [marker.name, marker] as const)]),
    letter: change.letter ?? before.letter,
    result: change.result ?? before.result,
    writes: before.writes + 1,
    places: new Set([...before.places].filter((place) => place !== given)),
    workedIn: change.markers.some(({ name }) => name === "commit")
      ? (job.agent?.workspace ?? null)
      : before.workedIn,
    turnedDown: down ? new Set([...before.turnedDown, commit]) : before.turnedDown,
    renewed: renewed ? [...before.renewed, before.events.length] : before.renewed
  })
  if (given !== null && given === job.agent?.workspace)
    return alarm(
      after,
      "workspace-shared",
      `job ${job.seq} goes on in the workspace that its hung incarnation still has (R5)`
    )
  const moved = isFinal(JobMachine, before.job.state) && before.job.state !== job.state
  // A note may be written of a job that is over, too: of its step, or of its replay.
  const record = change.events.length > 0 && change.events.every(({ toState }) => toState === null)
  return moved || (agent?.state === "tombstoned" && !record)
    ? alarm(
        after,
        "written-when-over",
        `job ${job.seq} is over and was written again: ${before.job.state} to ${job.state}`
      )
    : after
}

/** The store takes no more writes of the host, which need not know it. Workspaces that no row names are forgotten. */
export const fence = (world: World, epoch: number): World => {
  const jobs = new Map(world.jobs)
  for (const stored of jobs.values()) {
    const ref = stored.job.agent?.workspace ?? null
    if (stored.job.agent?.owner?.epoch === epoch)
      jobs.set(stored.job.seq, {
        ...stored,
        places: new Set([...stored.places].filter((place) => place === ref))
      })
  }
  return withHost({ ...world, jobs }, { ...hostOf(world, epoch), living: false })
}

/** The host's process is over, and everything that ran in it. */
export const die = (world: World, epoch: number): World => {
  const fenced = fence(world, epoch)
  const none = { owned: new Map(), inbox: [], taken: [], fibers: new Map() }
  return withHost(fenced, { ...hostOf(fenced, epoch), runs: false, ...none })
}

/** The commands that follow from a commit; null where the store refused it. */
export interface Committed {
  readonly world: World
  readonly commands: ReadonlyArray<Command> | null
  readonly lost: ReadonlySet<number>
}

/** Commits a decision whole; contested changes that another host has won are left out. A fenced host learns it here, and dies (R20). */
export const commitTurn = (world: World, { draft, epoch, took }: Decided): Committed => {
  const host = hostOf(world, epoch)
  if (!behaviourOf(world).admitsEpoch(host.living))
    return { world: die(world, epoch), commands: null, lost: new Set() }
  const lost = new Set<number>()
  const owned = new Map(draft.owned)
  let next =
    host.living || isEmpty(draft)
      ? world
      : alarm(world, "written-when-fenced", `host ${host.host} writes, fenced`)
  for (const change of draft.changes.values()) {
    if (mayWrite(world, change, epoch)) next = write(next, change)
    else if (change.contested) lost.add(change.job.seq)
    else next = alarm(next, "own-row-lost", `host ${epoch} has lost its own job ${change.job.seq}`)
  }
  for (const seq of lost) owned.delete(seq)
  const settled = draft.settled.filter(({ job }) => job === undefined || !lost.has(job))
  for (const { intent, outcome } of settled) {
    const seq = next.cancels[intent]?.job
    const state = seq === undefined ? undefined : next.jobs.get(seq)?.job.state
    if (outcome === "cancelled" && seq !== undefined && state !== "CANCELLED")
      next = alarm(next, "cancel-misreported", `cancel ${intent} is settled, and job ${seq} is ${state}`)
  }
  next = {
    ...next,
    cancels: next.cancels.map((cancel, intent) => {
      const end = settled.find((candidate) => candidate.intent === intent)
      return end === undefined || cancel.outcome !== null ? cancel : { ...cancel, outcome: end.outcome }
    }),
    answers: next.answers.map((answer, index) => {
      const end = settled.find(({ intent }) => intent === firstAnswer + index)
      return end === undefined || answer.outcome !== null ? answer : { ...answer, outcome: end.outcome }
    })
  }
  const { inbox, taken } = host
  const after: Host = {
    ...host,
    owned,
    inbox: inbox.filter((_, index) => !took.includes(index)),
    taken: [...taken, ...took.flatMap((index) => inbox[index] ?? [])].slice(-12)
  }
  const commands = draft.commands.filter(
    (command) => !lost.has("job" in command ? command.job.seq : command.seq)
  )
  return { world: withHost(next, after), commands, lost }
}
