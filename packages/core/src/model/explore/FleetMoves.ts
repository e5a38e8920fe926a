/**
 * Everything that may happen in a world within bounds, as a search takes it: one thing at a time, each at most once where a second time would
 * change nothing. All kinds of fault draw on one budget: so two faults of any kinds meet, and the world stays small.
 */
import { pausesOf } from "../../domain/Intent.ts"
import { isRunnable } from "../../domain/Job.ts"
import { isHandedBack } from "../../domain/turn/stopping.ts"
import type { Act } from "../world/Act.ts"
import { mayReplay } from "../world/Operators.ts"
import { ends, mayEnd, outcomes } from "../world/Outside.ts"
import { awaits, orphans, wanted } from "../world/Step.ts"
import { answersFor, asking, nextSteps } from "../world/Steps.ts"
import { mayTake } from "../world/Turns.ts"
import type { Fiber, Host, World } from "../world/World.ts"
import { noCancel, openAnswer } from "./FleetSteps.ts"

/** What draws on the budget. */
type Fault =
  | "crash"
  | "crash after a commit"
  | "fence"
  | "stop"
  | "repeat"
  | "overdue"
  | "hung"
  | "doubt"
  | "cancel"
  | "pause"
  | "replay"

export interface Bounds {
  readonly hosts: number
  /** Of each host. */
  readonly slots: number
  readonly jobs: number
  /** Of each job. */
  readonly retries: number
  /** How many faults there may be in all. */
  readonly faults: number
  /** Faults that cost nothing, and may come as often as they like. */
  readonly free: ReadonlyArray<Fault>
  /** Faults that don't come at all. */
  readonly without: ReadonlyArray<Fault>
  /** Ends of phases that don't come, as `phase outcome`: they change nothing that others don't. */
  readonly withoutOutcomes: ReadonlyArray<string>
  /** Whether its work has a step that is to be done once, and operators say what became of it. */
  readonly steps: boolean
}

/** What may happen, and what it costs. */
export interface FleetMove {
  readonly act: Act
  /** Null: it draws on no budget. */
  readonly fault: Fault | null
}

/** Ends of phases of which nobody can tell what they mean: faults. */
const doubts: ReadonlySet<string> = new Set(["landed_unknown", "absent_unknown", "cant_tell"])

const known: { readonly [phase: string]: ReadonlyArray<string> } = outcomes

const fiberMoves = (
  world: World,
  host: Host,
  fiber: Fiber,
  bounds: Bounds,
  moves: Array<FleetMove>
): void => {
  const { epoch } = host
  const { asks, phase, seq, stopping } = fiber
  if (bounds.steps)
    for (const how of nextSteps(world, fiber))
      moves.push({ act: { _tag: "Step", epoch, seq, how }, fault: null })
  if (stopping) {
    for (const how of ends)
      if (mayEnd(fiber, how))
        moves.push({ act: { _tag: "End", epoch, seq, how }, fault: how === "hung" ? "hung" : null })
    return
  }
  const kind = asks ? "ask" : phase
  for (const outcome of known[kind] ?? [])
    if (!bounds.withoutOutcomes.includes(`${kind} ${outcome}`))
      moves.push({
        act: { _tag: "Finish", epoch, seq, outcome },
        fault: doubts.has(outcome) ? "doubt" : null
      })
  const noticed = host.inbox.some((signal) => signal._tag === "Overdue" && signal.seq === seq)
  if (phase !== "archive" && phase !== "clean" && !noticed)
    moves.push({ act: { _tag: "Overdue", epoch, seq }, fault: "overdue" })
}

const turnMoves = (world: World, host: Host, due: ReadonlyArray<number>, moves: Array<FleetMove>): void => {
  const { epoch, inbox } = host
  const takes = mayTake(world, host) && host.owned.size < world.rules.slots + world.jobs.size
  const firsts: ReadonlyArray<number | undefined> = takes && due.length > 1 ? due : [undefined]
  for (const first of firsts) {
    const view = first === undefined ? {} : { first }
    if (takes && due.length > 0) moves.push({ act: { _tag: "Turn", epoch, take: [], ...view }, fault: null })
    for (const index of inbox.keys()) {
      const act = { _tag: "Turn", epoch, take: [index], ...view } as const
      moves.push({ act, fault: null })
      if (first === firsts[0]) moves.push({ act: { ...act, again: true }, fault: "repeat" })
      if (first === firsts[0])
        moves.push({ act: { ...act, _tag: "DieAfterCommit" }, fault: "crash after a commit" })
    }
    // Two in one commit, in either order: more would show no more of what one decision leaves to the next.
    for (const one of inbox.keys())
      for (const other of inbox.keys())
        if (one !== other)
          moves.push({ act: { _tag: "Turn", epoch, take: [one, other], ...view }, fault: null })
  }
  if (takes && due.length > 0)
    moves.push({ act: { _tag: "DieAfterCommit", epoch, take: [] }, fault: "crash after a commit" })
  // One whose epoch is over learns it from any commit.
  if (inbox.length === 0 && !host.living && !(takes && due.length > 0))
    moves.push({ act: { _tag: "Turn", epoch, take: [] }, fault: null })
}

/** What a host sees when it looks, and has not seen yet. */
const lookMoves = (world: World, host: Host, moves: Array<FleetMove>): void => {
  const { control, epoch } = host
  const paused = pausesOf(world.intents).length > 0
  const sees = wanted(world, host).some(({ job }) => !awaits(host, "CancelWanted", job.seq))
  if (sees || control.paused !== paused || answersFor(world, host).length > 0)
    moves.push({ act: { _tag: "Look", epoch }, fault: null })
  if (orphans(world).some(({ seq }) => !awaits(host, "Orphaned", seq)))
    moves.push({ act: { _tag: "Adopt", epoch }, fault: null })
}

const hostMoves = (world: World, host: Host, living: number, moves: Array<FleetMove>): void => {
  const { epoch, fibers, inbox, owned, refills } = host
  if (host.living) {
    lookMoves(world, host, moves)
    if (living > 1) moves.push({ act: { _tag: "Fence", epoch }, fault: "fence" })
    if (refills) moves.push({ act: { _tag: "Stop", epoch }, fault: "stop" })
  }
  moves.push({ act: { _tag: "Crash", epoch }, fault: "crash" })
  const idle = fibers.size === 0 && inbox.length === 0
  if (!refills && idle && !Array.from(owned.values()).some(isHandedBack))
    moves.push({ act: { _tag: "Leave", epoch }, fault: null })
}

const operatorMoves = (world: World, moves: Array<FleetMove>): void => {
  for (const job of asking(world))
    if (openAnswer(world, job) === undefined) moves.push({ act: { _tag: "Answer", job }, fault: null })
  for (const { job } of world.jobs.values()) {
    const { seq } = job
    if (isRunnable(job) && job.runAt > world.now) moves.push({ act: { _tag: "Due", job: seq }, fault: null })
    if (!world.cancels.some((cancel) => cancel.job === seq && cancel.outcome !== noCancel))
      moves.push({ act: { _tag: "Cancel", job: seq }, fault: "cancel" })
    moves.push({ act: { _tag: "SubmitAgain", job: seq }, fault: null })
    if (mayReplay(world, seq))
      for (const operators of [1, 2] as const)
        moves.push({ act: { _tag: "Replay", job: seq, operators }, fault: "replay" })
  }
  const paused = pausesOf(world.intents).length > 0
  moves.push(paused ? { act: { _tag: "Resume" }, fault: null } : { act: { _tag: "Pause" }, fault: "pause" })
}

/** All of them, in an order that depends on the world alone. */
export const fleetMoves = (world: World, bounds: Bounds): ReadonlyArray<FleetMove> => {
  const moves: Array<FleetMove> = []
  const running = world.hosts.filter(({ runs }) => runs)
  const living = running.filter((host) => host.living).length
  const due = Array.from(world.jobs.values(), ({ job }) => job)
    .filter((job) => isRunnable(job) && job.runAt <= world.now)
    .map(({ seq }) => seq)
  for (const host of running) {
    turnMoves(world, host, due, moves)
    for (const fiber of host.fibers.values()) fiberMoves(world, host, fiber, bounds, moves)
    hostMoves(world, host, living, moves)
    if (due.length > 0)
      for (const { epoch } of running)
        if (epoch !== host.epoch && host.living)
          moves.push({ act: { _tag: "Race", first: host.epoch, second: epoch, most: 0 }, fault: null })
  }
  if (running.length < bounds.hosts) {
    const number = Array.from({ length: bounds.hosts }, (_, index) => index + 1).find(
      (candidate) => !running.some(({ host }) => host === candidate)
    )
    if (number !== undefined) moves.push({ act: { _tag: "Enlist", host: number }, fault: null })
  }
  operatorMoves(world, moves)
  return moves
}
