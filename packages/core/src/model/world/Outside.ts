/**
 * What fibers and the outside of the fleet may do: a phase ends in each way that it may, runs late, is interrupted, or hangs.
 */
import type { Failure } from "../../domain/Failure.ts"
import type { Signal } from "../../domain/turn/Signal.ts"
import {
  alarm,
  behaviourOf,
  type Fiber,
  type Host,
  post,
  type Stored,
  type World,
  withHost,
  withStored
} from "./World.ts"

/** How a phase may end by itself, the good end first. */
export const outcomes = {
  prepare: ["prepared", "failed", "unfit"],
  work: ["done", "failed", "crashed", "limited", "permanent"],
  verify: ["passed", "rejected", "broken"],
  land: ["landed", "conflict", "landed_unknown", "absent_unknown"],
  ask: ["told", "cant_tell"],
  archive: ["archived", "kept"],
  clean: ["removed", "kept"]
} as const

/** How an interrupted phase may end: in time or not, its effect on the outside world done or not. */
export const ends = ["ended", "hung", "ended_landed", "ended_made"] as const

const failure = (code: string, retryAfterMillis: number | null = null): Failure => ({
  // all codes below are of known categories
  code: code as Failure["code"],
  message: `the world says ${code}`,
  detail: null,
  retryAfterMillis,
  cause: null
})

const removeFiber = (world: World, host: Host, seq: number): World => {
  const fibers = new Map(host.fibers)
  fibers.delete(seq)
  return withHost(world, { ...host, fibers })
}

const withJob = (world: World, seq: number, patch: (stored: Stored) => Partial<Stored>): World => {
  const stored = world.jobs.get(seq)
  return stored === undefined ? world : withStored(world, { ...stored, ...patch(stored) })
}

const tokenOf = (world: World, { epoch }: Host, { incarnation }: Fiber): number =>
  behaviourOf(world).fencingToken(incarnation, epoch)

/** The lander's effect is idempotent, and its target refuses a token that is smaller than one seen before (R27). */
const landed = (world: World, host: Host, fiber: Fiber): World => {
  const mine = tokenOf(world, host, fiber)
  return withJob(world, fiber.seq, ({ landings, token }) =>
    mine < token ? {} : { landings: landings === 0 ? 1 : landings, token: mine }
  )
}

const isRefused = (world: World, host: Host, fiber: Fiber): boolean =>
  tokenOf(world, host, fiber) < (world.jobs.get(fiber.seq)?.token ?? 0)

/** Its target has seen a newer token: it refuses, and nobody says what that means. The living owner of a job must never meet this (R27). */
const refused = (world: World, host: Host, { incarnation, seq }: Fiber): World => {
  const agent = world.jobs.get(seq)?.job.agent ?? null
  return host.living && agent?.owner?.epoch === host.epoch && agent.incarnation === incarnation
    ? alarm(
        world,
        "owner-refused",
        `job ${seq}: the target refuses incarnation ${incarnation}, which owns it`
      )
    : world
}

/** What the lander knows, and its target has seen this token now. */
const asked = (world: World, host: Host, fiber: Fiber): World => {
  const mine = tokenOf(world, host, fiber)
  return withJob(world, fiber.seq, ({ token }) => ({ token: Math.max(token, mine) }))
}

const passed = (world: World, { result, seq }: Fiber): World =>
  withJob(world, seq, ({ passes }) => ({ passes: new Set([...passes, result]) }))

/** Where the fiber works: where it did before, or in a new place. */
const placeOf = ({ incarnation, seq, workspace }: Fiber): string => workspace ?? `/w/${seq}/${incarnation}`

/** Two instances of one place may be made by a host that was fenced; only what a living one makes must be known of. */
const made = (world: World, host: Host, fiber: Fiber): World =>
  host.living
    ? withJob(world, fiber.seq, ({ places }) => ({ places: new Set([...places, placeOf(fiber)]) }))
    : world

const settledPlace = (world: World, fiber: Fiber): World =>
  withJob(world, fiber.seq, ({ places }) => ({
    places: new Set([...places].filter((place) => place !== fiber.workspace))
  }))

const kept = (fiber: Fiber) =>
  ({ _tag: "Kept", at: fiber.workspace ?? "", reason: "the world keeps it" }) as const

/** The signal that a phase ends with, and what it has done to the outside world. */
const ending = (world: World, host: Host, fiber: Fiber, outcome: string): readonly [World, Signal] => {
  const who = { seq: fiber.seq, incarnation: fiber.incarnation }
  switch (`${fiber.asks ? "ask" : fiber.phase} ${outcome}`) {
    case "ask told": {
      const result = fiber.result
      const isLanded = (world.jobs.get(fiber.seq)?.landings ?? 0) > 0
      const next = asked(world, host, fiber)
      return isLanded
        ? [next, { _tag: "LandingDone", ...who, result, reference: null }]
        : [next, { _tag: "LandingAbsent", ...who, result }]
    }
    case "ask cant_tell":
      return [world, { _tag: "LandingUnknown", ...who, failure: failure("ORCH_LANDING_UNKNOWN") }]
    case "prepare prepared":
      return [made(world, host, fiber), { _tag: "Prepared", ...who, workspace: placeOf(fiber) }]
    case "prepare failed": {
      const failed = { phase: "prepare", failure: failure("EXT_PREPARE"), workspace: null } as const
      return [world, { _tag: "PrepareFailed", ...who, ...failed }]
    }
    case "prepare unfit": {
      const unfit = {
        phase: "sentinel",
        failure: failure("EXT_SENTINEL"),
        workspace: placeOf(fiber)
      } as const
      return [made(world, host, fiber), { _tag: "PrepareFailed", ...who, ...unfit }]
    }
    case "work done":
      return [world, { _tag: "Worked", ...who, result: `{"by":${fiber.incarnation}}` }]
    case "work failed":
      return [world, { _tag: "WorkFailed", ...who, failure: failure("EXT_WORK") }]
    case "work crashed":
      return [world, { _tag: "WorkFailed", ...who, failure: failure("ORCH_RETRYABLE_AGENT_CRASHED") }]
    case "work limited":
      return [world, { _tag: "WorkFailed", ...who, failure: failure("EXT_LIMITED", 3_000) }]
    case "work permanent":
      return [world, { _tag: "WorkFailed", ...who, failure: failure("DQ_WORLD") }]
    case "verify passed":
      return [passed(world, fiber), { _tag: "Verified", ...who, result: fiber.result }]
    case "verify rejected":
      return [world, { _tag: "VerifyFailed", ...who, failure: failure("ORCH_GATE_REJECTED") }]
    case "verify broken":
      return [world, { _tag: "VerifyFailed", ...who, failure: failure("ORCH_PLUGIN_FAILED") }]
    case "land landed":
      if (isRefused(world, host, fiber))
        return [
          refused(world, host, fiber),
          { _tag: "LandingUnknown", ...who, failure: failure("ORCH_LANDING_UNKNOWN") }
        ]
      return [
        landed(world, host, fiber),
        { _tag: "LandingDone", ...who, result: fiber.result, reference: null }
      ]
    case "land conflict":
      return [world, { _tag: "LandingRejected", ...who, failure: failure("ORCH_RETRYABLE_LANDING_CONFLICT") }]
    case "land landed_unknown":
      return [
        landed(world, host, fiber),
        { _tag: "LandingUnknown", ...who, failure: failure("ORCH_LANDING_UNKNOWN") }
      ]
    case "land absent_unknown":
      return [world, { _tag: "LandingUnknown", ...who, failure: failure("ORCH_LANDING_UNKNOWN") }]
    case "archive archived":
      return [world, { _tag: "Archived", ...who, artifacts: ["artifact"] }]
    case "clean removed":
      return [settledPlace(world, fiber), { _tag: "Cleaned", ...who, fate: { _tag: "Removed" } }]
    case "archive kept":
    case "clean kept":
      return [settledPlace(world, fiber), { _tag: "Cleaned", ...who, fate: kept(fiber) }]
    default:
      throw new Error(`a fiber in ${fiber.phase} can't end as ${outcome}`)
  }
}

/** A phase ends by itself: its finalisers are done, and its signal is on its way. */
export const finish = (world: World, host: Host, fiber: Fiber, outcome: string): World => {
  const [next, signal] = ending(removeFiber(world, host, fiber.seq), host, fiber, outcome)
  return post(next, host.epoch, signal)
}

/** Whether an interrupted phase can end like this. */
export const mayEnd = ({ asks, phase }: Fiber, how: (typeof ends)[number]): boolean =>
  how === "ended_landed" ? phase === "land" && !asks : how !== "ended_made" || phase === "prepare"

/** An interrupted phase has ended, or is given up. Its own word is not heard any more. */
export const end = (world: World, host: Host, fiber: Fiber, how: (typeof ends)[number]): World => {
  const removed = removeFiber(world, host, fiber.seq)
  const next =
    how === "ended_landed"
      ? landed(removed, host, fiber)
      : how === "ended_made"
        ? made(removed, host, fiber)
        : removed
  return post(next, host.epoch, {
    _tag: how === "hung" ? "Hung" : "Ended",
    seq: fiber.seq,
    incarnation: fiber.incarnation,
    workspace: how === "ended_made" ? placeOf(fiber) : fiber.workspace
  })
}

/** A phase is late, and its fiber still lives. */
export const overdue = (world: World, host: Host, fiber: Fiber): World => {
  const { incarnation, phase, seq } = fiber
  const silent = phase === "work"
  return post(world, host.epoch, {
    _tag: "Overdue",
    seq,
    incarnation,
    phase,
    why: silent ? "stream_silence" : "deadline_exceeded",
    failure: failure(silent ? "ORCH_RETRYABLE_STREAM_SILENCE" : "ORCH_RETRYABLE_TIMEOUT")
  })
}
