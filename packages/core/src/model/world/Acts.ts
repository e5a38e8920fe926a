/**
 * What may happen now in a world, and how a random walk picks among it. A search has bounds of its own (explore/FleetMoves.ts).
 */
import type { Act } from "./Act.ts"
import { mayReplay } from "./Operators.ts"
import { ends, mayEnd, outcomes } from "./Outside.ts"
import { asking, nextSteps } from "./Steps.ts"
import type { Fiber, Host, World } from "./World.ts"

/** The kinds of acts, and how often a random walk takes each: work goes on most of the time, and hosts rarely die. */
const weights: { readonly [Tag in Act["_tag"]]: number } = {
  Submit: 8,
  Turn: 25,
  Race: 8,
  Busy: 1,
  DieAfterCommit: 1,
  Finish: 40,
  End: 12,
  Overdue: 4,
  Repeat: 3,
  Cancel: 2,
  Step: 30,
  Answer: 3,
  Look: 4,
  Adopt: 4,
  Stop: 1,
  Crash: 1,
  Fence: 1,
  Enlist: 4,
  Leave: 0,
  Due: 0,
  Pause: 1,
  Resume: 2,
  SubmitAgain: 1,
  Replay: 2,
  Wait: 8
}

/** How much of everything there may be. */
export interface Bounds {
  readonly jobs: number
  readonly hosts: number
}

const waits = [500, 5_000, 60_000, -2_000] as const

const fibersOf = (hosts: ReadonlyArray<Host>): ReadonlyArray<readonly [Host, Fiber]> =>
  hosts.flatMap((host) => Array.from(host.fibers.values(), (fiber) => [host, fiber] as const))

const outcomesOf = ({ asks, phase }: Fiber): ReadonlyArray<string> => {
  const known: { readonly [phase: string]: ReadonlyArray<string> } = outcomes
  return known[asks ? "ask" : phase] ?? []
}

/** What may happen now, of one kind. */
export const enabled = (world: World, tag: Act["_tag"], bounds: Bounds): ReadonlyArray<Act> => {
  const running = world.hosts.filter(({ runs }) => runs)
  const living = running.filter((host) => host.living)
  switch (tag) {
    case "Submit":
      return world.jobs.size >= bounds.jobs
        ? []
        : Array.from(world.rules.workflows.keys()).flatMap((workflowType, index) => {
            const job = { _tag: tag, workflowType, priority: index % 3, delayMillis: 0 } as const
            return [
              { ...job, payload: "1", maxRetries: 2 },
              { ...job, payload: "1", maxRetries: 0, delayMillis: 5_000 },
              { ...job, payload: '"misfit"', maxRetries: 1 }
            ]
          })
    case "Turn":
      return running.flatMap(({ epoch, inbox }) =>
        [inbox.length, 1].map((most) => ({ _tag: tag, epoch, most }))
      )
    case "Race":
      return running.flatMap(({ epoch: first }) =>
        running.flatMap(({ epoch: second }) => (first === second ? [] : [{ _tag: tag, first, second }]))
      )
    case "Busy":
    case "DieAfterCommit":
    case "Crash":
    case "Look":
    case "Adopt":
    case "Stop":
      return (tag === "Crash" || tag === "DieAfterCommit" ? running : living).map(({ epoch }) => ({
        _tag: tag,
        epoch
      }))
    case "Fence":
      return living.length < 2 ? [] : living.map(({ epoch }) => ({ _tag: tag, epoch }))
    case "Finish":
      return fibersOf(running).flatMap(([{ epoch }, fiber]) =>
        fiber.stopping
          ? []
          : outcomesOf(fiber).map((outcome) => ({ _tag: tag, epoch, seq: fiber.seq, outcome }))
      )
    case "End":
      return fibersOf(running).flatMap(([{ epoch }, fiber]) =>
        fiber.stopping
          ? ends.filter((how) => mayEnd(fiber, how)).map((how) => ({ _tag: tag, epoch, seq: fiber.seq, how }))
          : []
      )
    case "Overdue":
      return fibersOf(running).flatMap(([{ epoch }, { phase, seq, stopping }]) =>
        stopping || phase === "archive" || phase === "clean" ? [] : [{ _tag: tag, epoch, seq }]
      )
    case "Repeat":
      return living.flatMap(({ epoch, taken }) => taken.map((_, index) => ({ _tag: tag, epoch, index })))
    case "Step":
      return fibersOf(running).flatMap(([{ epoch }, fiber]) =>
        nextSteps(world, fiber).map((how) => ({ _tag: tag, epoch, seq: fiber.seq, how }))
      )
    case "Answer":
      return asking(world).map((job) => ({ _tag: tag, job }))
    case "Cancel":
      return Array.from(world.jobs.keys(), (job) => ({ _tag: tag, job }))
    case "Enlist":
      return Array.from({ length: bounds.hosts }, (_, index) => index + 1)
        .filter((host) => !running.some((other) => other.host === host))
        .map((host) => ({ _tag: tag, host }))
    case "Leave":
    case "Due":
      // Those of a search: a walk waits, and its hosts crash.
      return []
    case "Pause":
    case "Resume":
      return [{ _tag: tag }]
    case "SubmitAgain":
      return Array.from(world.jobs.keys(), (job) => ({ _tag: tag, job }))
    case "Replay":
      return Array.from(world.jobs.keys())
        .filter((job) => mayReplay(world, job))
        .flatMap((job) => ([1, 2] as const).map((operators) => ({ _tag: tag, job, operators })))
    case "Wait":
      return waits.map((millis) => ({ _tag: tag, millis }))
  }
}

const goodEnds: ReadonlySet<string> = new Set(Object.values(outcomes).map(([good]) => good))

const isGood = (act: Act): boolean =>
  act._tag === "Finish" ? goodEnds.has(act.outcome) : act._tag !== "Submit" || act.payload === "1"

/** The act that two numbers choose among all that may happen, by weight; the same numbers choose the same one. Two times in three it is one that goes well. */
export const choose = (world: World, bounds: Bounds, dice: number, pick: number): Act | undefined => {
  // the keys of the table are the tags
  const all = (Object.keys(weights) as ReadonlyArray<Act["_tag"]>).flatMap((tag) => {
    const acts = enabled(world, tag, bounds)
    return acts.length === 0 ? [] : [{ weight: weights[tag], acts }]
  })
  let left = dice % all.reduce((sum, { weight }) => sum + weight, 0)
  for (const { acts, weight } of all) {
    if (left < weight) {
      const among = pick % 3 === 0 ? acts : acts.filter(isGood)
      return among[Math.floor(pick / 3) % among.length]
    }
    left -= weight
  }
  return undefined
}
