/**
 * A host's turn in the world: decide, refill the free slots, commit as the store would, and carry the commands out. Each part is a function
 * of its own, so that two hosts may decide on the same rows, and a host may die between commit and commands.
 */
import type { Job } from "../../domain/Job.ts"
import { JobMachine } from "../../domain/JobMachine.ts"
import { isFinal } from "../../domain/Machine.ts"
import type { Command } from "../../domain/turn/Command.ts"
import { decide } from "../../domain/turn/decide.ts"
import { begin, type Change, type Draft } from "../../domain/turn/Draft.ts"
import { usedSlots } from "../../domain/turn/move.ts"
import { refill } from "../../domain/turn/refill.ts"
import {
  alarm,
  envOf,
  type Fiber,
  type Host,
  isLiving,
  post,
  ready,
  type World,
  withHost,
  withStored
} from "./World.ts"

/** Intents from here on are answers about steps; those before are cancels. */
export const firstAnswer = 100_000

/** A decision that is not committed yet: the host took this many signals. */
export interface Decided {
  readonly epoch: number
  readonly took: number
  readonly draft: Draft
}

const hostOf = (world: World, epoch: number): Host => {
  const host = world.hosts.find((candidate) => candidate.epoch === epoch)
  if (host === undefined) throw new Error(`there is no epoch ${epoch}`)
  return host
}

/** Decides on the first `most` signals of the mailbox, then on due jobs for exactly the free slots (R9). Changes nothing. */
export const decideTurn = (world: World, epoch: number, most = Number.POSITIVE_INFINITY): Decided => {
  const host = hostOf(world, epoch)
  const env = envOf(world, host)
  const signals = host.inbox.slice(0, most)
  const draft = begin(host.owned)
  for (const signal of signals) decide(draft, signal, env)
  const free = world.rules.slots - usedSlots(draft.owned)
  if (host.refills && free > 0)
    for (const { job, payload } of ready(world, free)) refill(draft, env, job, payload)
  return { epoch, took: signals.length, draft }
}

/** Whether the store lets the host write the row (R8): version and owner are both looked at. */
const mayWrite = (world: World, { contested, job, version }: Change, host: Host): boolean => {
  const row = world.jobs.get(job.seq)?.job
  if (row?.version !== version) return false
  const owner = row.agent?.owner ?? null
  return owner === null || !isLiving(world, owner.epoch) || (!contested && owner.epoch === host.epoch)
}

const write = (world: World, change: Change): World => {
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
    return alarm(after, `job ${job.seq} goes on in the workspace that its hung incarnation still has (R5)`)
  const moved = isFinal(JobMachine, before.job.state) && before.job.state !== job.state
  // What became of a step may be said of a job that is over, too: it is for its replay.
  const record = change.events.some(({ event }) => event === "marker_settled")
  return moved || (agent?.state === "tombstoned" && !record)
    ? alarm(after, `job ${job.seq} is over and was written again: ${before.job.state} to ${job.state}`)
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
  if (!host.living) return { world: die(world, epoch), commands: null, lost: new Set() }
  const lost = new Set<number>()
  const owned = new Map(draft.owned)
  let next = world
  for (const change of draft.changes.values()) {
    if (mayWrite(world, change, host)) next = write(next, change)
    else if (change.contested) lost.add(change.job.seq)
    else next = alarm(next, `host ${epoch} has lost its own job ${change.job.seq}`)
  }
  for (const seq of lost) owned.delete(seq)
  const settled = draft.settled.filter(({ job }) => job === undefined || !lost.has(job))
  for (const { intent, outcome } of settled) {
    const seq = next.cancels[intent]?.job
    const state = seq === undefined ? undefined : next.jobs.get(seq)?.job.state
    if (outcome === "cancelled" && state !== "CANCELLED")
      next = alarm(next, `cancel ${intent} is settled, and job ${seq} is ${state}`)
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
    inbox: inbox.slice(took),
    taken: [...taken, ...inbox.slice(0, took)].slice(-12)
  }
  const commands = draft.commands.filter(
    (command) => !lost.has("job" in command ? command.job.seq : command.seq)
  )
  return { world: withHost(next, after), commands, lost }
}

const start = (
  world: World,
  epoch: number,
  job: Job,
  phase: Fiber["phase"],
  result: string,
  asks = false
): World => {
  const host = hostOf(world, epoch)
  const { agent, seq } = job
  if (agent === null) return alarm(world, `job ${seq} begins ${phase} without an agent`)
  const running = host.fibers.get(seq)
  const fiber: Fiber = {
    seq,
    incarnation: agent.incarnation,
    phase,
    result,
    workspace: agent.workspace,
    stopping: false,
    asks,
    step: "idle"
  }
  const next = withHost(world, { ...host, fibers: new Map(host.fibers).set(seq, fiber) })
  return running === undefined
    ? next
    : alarm(next, `job ${seq} begins ${phase} while its ${running.phase} still runs`)
}

/** The work of an incarnation: what an earlier one has finished is not done again, unless it is gone with its place (R5). */
const work = (world: World, epoch: number, job: Job): World => {
  const { agent, seq } = job
  const stored = world.jobs.get(seq)
  const commit = stored?.markers.get("commit")
  if (agent === null || stored === undefined || commit?.state !== "finished")
    return start(world, epoch, job, "work", "")
  const who = { seq, incarnation: agent.incarnation }
  const result = commit.result ?? ""
  if (stored.workedIn === agent.workspace) {
    const next = post(world, epoch, { _tag: "Worked", ...who, result, recalled: true })
    return stored.turnedDown.has(result)
      ? alarm(next, `job ${seq} brings back a result that was turned down`)
      : next
  }
  const forget = { _tag: "MarkerFinished", ...who, id: 0, name: "commit", result: null } as const
  return post(start(world, epoch, job, "work", ""), epoch, forget)
}

const landing = (world: World, epoch: number, job: Job, result: string): World => {
  const next = start(world, epoch, job, "land", result)
  return (world.jobs.get(job.seq)?.landings ?? 0) > 0
    ? alarm(next, `job ${job.seq} is landed again, though it has landed (R27)`)
    : next
}

/** What the work was told about its step. */
const acknowledge = (
  world: World,
  epoch: number,
  command: Extract<Command, { _tag: "Acknowledge" }>
): World => {
  const host = hostOf(world, epoch)
  const fiber = host.fibers.get(command.seq)
  if (fiber?.incarnation !== command.incarnation || fiber.step !== "asked" || command.id !== 1) return world
  const step = command.accepted ? "granted" : "idle"
  return withHost(world, { ...host, fibers: new Map(host.fibers).set(command.seq, { ...fiber, step }) })
}

const perform = (world: World, epoch: number, command: Command): World => {
  switch (command._tag) {
    case "Prepare":
      return start(world, epoch, command.job, "prepare", "")
    case "Begin":
    case "Work":
      return work(world, epoch, command.job)
    case "Verify":
      return start(world, epoch, command.job, "verify", command.result)
    case "Land":
      return landing(world, epoch, command.job, command.result)
    case "Reconcile": {
      const commit = world.jobs.get(command.job.seq)?.markers.get("commit")
      return start(world, epoch, command.job, "land", commit?.result ?? "", true)
    }
    case "Archive": {
      const archived = world.jobs.get(command.job.seq)?.markers.get("archive")
      const next = start(world, epoch, command.job, "archive", "")
      return archived === undefined ? next : alarm(next, `job ${command.job.seq} is archived again`)
    }
    case "Clean": {
      const archived = world.jobs.get(command.job.seq)?.markers.get("archive")
      const next = start(world, epoch, command.job, "clean", "")
      return archived === undefined ? alarm(next, `job ${command.job.seq} is cleaned unarchived`) : next
    }
    case "Interrupt": {
      const { incarnation, seq } = command
      const host = hostOf(world, epoch)
      const fiber = host.fibers.get(seq)
      if (fiber === undefined) return post(world, epoch, { _tag: "Ended", seq, incarnation })
      return withHost(world, {
        ...host,
        fibers: new Map(host.fibers).set(seq, { ...fiber, stopping: true })
      })
    }
    case "Acknowledge":
      return acknowledge(world, epoch, command)
    case "Forget":
      return world
  }
}

/** Carries out the commands of a commit, in their order. */
export const obey = (world: World, epoch: number, commands: ReadonlyArray<Command>): World =>
  commands.reduce((next, command) => perform(next, epoch, command), world)

/** A whole turn. */
export const turn = (world: World, epoch: number, most?: number): World => {
  const committed = commitTurn(world, decideTurn(world, epoch, most))
  return committed.commands === null ? committed.world : obey(committed.world, epoch, committed.commands)
}
