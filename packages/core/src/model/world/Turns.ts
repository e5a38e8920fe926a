/**
 * A host's turn in the world: decide, refill the free slots, commit, and carry the commands out. Each part is a function of its own, so that
 * two hosts may decide on the same rows, and a host may die between commit and commands.
 */
import type { Job } from "../../domain/Job.ts"
import type { Command } from "../../domain/turn/Command.ts"
import { begin, isEmpty } from "../../domain/turn/Draft.ts"
import { usedSlots } from "../../domain/turn/move.ts"
import { commitTurn, type Decided } from "./Commit.ts"
import {
  alarm,
  behaviourOf,
  envOf,
  type Fiber,
  type Host,
  hostOf,
  post,
  ready,
  type World,
  withHost
} from "./World.ts"

/** What a turn looks at. */
export interface View {
  /** Takes the first so many signals; left out: all. */
  readonly most?: number
  /** Takes these signals, by their places in the mailbox, in this order: it hands over in any order. */
  readonly take?: ReadonlyArray<number>
  /** The job that the peek brings before all others; left out: by priority, due time, arrival. */
  readonly first?: number
}

/** Decides on signals of the mailbox, then on due jobs for exactly the free slots (R9). Changes nothing. */
export const decideTurn = (world: World, epoch: number, { first, most, take }: View = {}): Decided => {
  const host = hostOf(world, epoch)
  const behaviour = behaviourOf(world)
  const env = envOf(world, host)
  const took = take ?? Array.from(host.inbox.slice(0, most).keys())
  const draft = begin(host.owned)
  for (const index of took) {
    const signal = host.inbox[index]
    if (signal !== undefined) behaviour.decide(draft, signal, env)
  }
  const free = behaviour.vacancy(world.rules.slots, draft.owned)
  if (mayTake(world, host) && free > 0)
    for (const { job, payload } of ready(world, free, first)) behaviour.refill(draft, env, job, payload)
  return { epoch, took, draft }
}

/** Whether the host takes jobs at all: it doesn't stop, and no operator whose wish it knows holds it. */
export const mayTake = (world: World, { control, refills }: Host): boolean =>
  refills && behaviourOf(world).mayClaim(control)

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
  if (agent === null) return alarm(world, "begun-beside", `job ${seq} begins ${phase} without an agent`)
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
    : alarm(next, "begun-beside", `job ${seq} begins ${phase} while its ${running.phase} still runs`)
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
      ? alarm(next, "turned-down-result", `job ${seq} brings back a result that was turned down`)
      : next
  }
  const forget = { _tag: "MarkerFinished", ...who, id: 0, name: "commit", result: null } as const
  return post(start(world, epoch, job, "work", ""), epoch, forget)
}

const landing = (world: World, epoch: number, job: Job, result: string): World => {
  const next = start(world, epoch, job, "land", result)
  return (world.jobs.get(job.seq)?.landings ?? 0) > 0
    ? alarm(next, "landed-again", `job ${job.seq} is landed again, though it has landed (R27)`)
    : next
}

/** What its work waits for with each number of asking: whoever gives a step up hears that first, and may then begin it again. */
const waits: { readonly [id: number]: Fiber["step"] } = { 1: "asked", 2: "clearing" }

/** What the work was told about its step. */
const acknowledge = (
  world: World,
  epoch: number,
  command: Extract<Command, { _tag: "Acknowledge" }>
): World => {
  const host = hostOf(world, epoch)
  const fiber = host.fibers.get(command.seq)
  if (fiber?.incarnation !== command.incarnation || fiber.step !== waits[command.id]) return world
  const step = fiber.step === "asked" && command.accepted ? "granted" : "idle"
  return withHost(world, { ...host, fibers: new Map(host.fibers).set(command.seq, { ...fiber, step }) })
}

/** The workspace that a life has made whose fiber is gone: its word on it may still wait. */
const remembered = (
  { inbox, owned }: Host,
  { incarnation, seq }: Extract<Command, { _tag: "Interrupt" }>
): string | null => {
  for (const signal of inbox)
    if (
      (signal._tag === "Prepared" || signal._tag === "PrepareFailed") &&
      signal.seq === seq &&
      signal.incarnation === incarnation
    )
      return signal.workspace
  return owned.get(seq)?.agent?.workspace ?? null
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
      return archived === undefined
        ? next
        : alarm(next, "archived-again", `job ${command.job.seq} is archived again`)
    }
    case "Clean": {
      const archived = world.jobs.get(command.job.seq)?.markers.get("archive")
      const next = start(world, epoch, command.job, "clean", "")
      return archived === undefined
        ? alarm(next, "cleaned-unarchived", `job ${command.job.seq} is cleaned unarchived`)
        : next
    }
    case "Interrupt": {
      const { incarnation, seq } = command
      const host = hostOf(world, epoch)
      const fiber = host.fibers.get(seq)
      if (fiber === undefined)
        return post(world, epoch, { _tag: "Ended", seq, incarnation, workspace: remembered(host, command) })
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

/** What the host would rest beside, once a turn of it has found nothing to do (R13). */
const rest = (world: World, epoch: number): World => {
  const host = hostOf(world, epoch)
  const beside =
    host.living &&
    host.inbox.length === 0 &&
    mayTake(world, host) &&
    usedSlots(host.owned) < world.rules.slots
      ? ready(world, 1)
      : []
  return beside.reduce(
    (next, { job }) =>
      alarm(
        next,
        "rests-beside-work",
        `host ${host.host} rests beside a free slot and job ${job.seq}, which is due`
      ),
    world
  )
}

/** A whole turn. */
export const turn = (world: World, epoch: number, view?: View): World => {
  const decided = decideTurn(world, epoch, view)
  const committed = commitTurn(world, decided)
  if (committed.commands === null) return committed.world
  return isEmpty(decided.draft)
    ? rest(committed.world, epoch)
    : obey(committed.world, epoch, committed.commands)
}
