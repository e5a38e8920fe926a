/**
 * All that may happen in a world, as data: `enabled` says what may happen now, `step` lets one of it happen. A random walk picks, a search
 * takes each of them.
 */
import { end, ends, finish, mayEnd, outcomes, overdue } from "./Outside.ts"
import { asking, lookAtAnswers, nextSteps, say, takeStep } from "./Steps.ts"
import { commitTurn, decideTurn, die, fence, obey, turn } from "./Turns.ts"
import { enlist, type Fiber, type Host, isOrphaned, post, submit, type World, withHost } from "./World.ts"

export type Act =
  | {
      readonly _tag: "Submit"
      readonly workflowType: string
      readonly payload: string
      readonly priority: number
      readonly maxRetries: number
      readonly delayMillis: number
    }
  /** Takes the first `most` signals. */
  | { readonly _tag: "Turn"; readonly epoch: number; readonly most: number }
  /** Two hosts decide on the same rows, and commit one after the other. */
  | { readonly _tag: "Race"; readonly first: number; readonly second: number }
  /** The store is busy: the draft is dropped, and the signals wait for another turn. */
  | { readonly _tag: "Busy"; readonly epoch: number }
  /** The host dies after the commit, before it has carried out a command. */
  | { readonly _tag: "DieAfterCommit"; readonly epoch: number }
  | { readonly _tag: "Finish"; readonly epoch: number; readonly seq: number; readonly outcome: string }
  | {
      readonly _tag: "End"
      readonly epoch: number
      readonly seq: number
      readonly how: (typeof ends)[number]
    }
  | { readonly _tag: "Overdue"; readonly epoch: number; readonly seq: number }
  /** A signal that was taken comes once more. */
  | { readonly _tag: "Repeat"; readonly epoch: number; readonly index: number }
  | { readonly _tag: "Cancel"; readonly job: number }
  /** The work goes on with the step that is to be done once. */
  | {
      readonly _tag: "Step"
      readonly epoch: number
      readonly seq: number
      readonly how: "begin" | "pay" | "tell" | "clear"
    }
  /** An operator says what became of a step that a parked job asks about. */
  | { readonly _tag: "Answer"; readonly job: number }
  /** A host looks at the open cancels, as operators have written them. */
  | { readonly _tag: "Look"; readonly epoch: number }
  /** A host looks at the rows of those that are lost. */
  | { readonly _tag: "Adopt"; readonly epoch: number }
  | { readonly _tag: "Stop"; readonly epoch: number }
  | { readonly _tag: "Crash"; readonly epoch: number }
  /** Another host has taken it for lost; it still runs, and will learn it from its next commit. */
  | { readonly _tag: "Fence"; readonly epoch: number }
  | { readonly _tag: "Enlist"; readonly host: number }
  /** The clock moves, and not always forward. */
  | { readonly _tag: "Wait"; readonly millis: number }

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

/** Rows that somebody has to take over. */
const orphans = (world: World) =>
  Array.from(world.jobs.values(), ({ job }) => job).filter(({ agent }) => isOrphaned(world, agent))

/** Open cancels that are this host's to carry out: nobody else living owns the job. */
const wanted = (world: World, host: Host) =>
  world.cancels.flatMap(({ job: seq, outcome }, intent) => {
    const job = world.jobs.get(seq)?.job
    const owner = job?.agent?.owner ?? null
    const mine = owner === null || owner.epoch === host.epoch
    return outcome === null && job !== undefined && mine ? [{ intent, job }] : []
  })

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
    case "Wait":
      return waits.map((millis) => ({ _tag: tag, millis }))
  }
}

const withFiber = (
  world: World,
  epoch: number,
  seq: number,
  happen: (host: Host, fiber: Fiber) => World
): World => {
  const host = world.hosts.find((candidate) => candidate.epoch === epoch)
  const fiber = host?.fibers.get(seq)
  return host === undefined || fiber === undefined ? world : happen(host, fiber)
}

const withEpoch = (world: World, epoch: number, happen: (host: Host) => World): World => {
  const host = world.hosts.find((candidate) => candidate.epoch === epoch)
  return host === undefined ? world : happen(host)
}

/** Lets one act happen. One that is not enabled changes nothing, or what it would change anyway. */
export const step = (world: World, act: Act): World => {
  switch (act._tag) {
    case "Submit": {
      const { _tag, delayMillis, ...draft } = act
      return submit(world, { ...draft, runAt: world.now + delayMillis })
    }
    case "Turn":
      return turn(world, act.epoch, act.most)
    case "Race": {
      const decided = [decideTurn(world, act.first), decideTurn(world, act.second)]
      return decided.reduce((next, mine) => {
        const { commands, world: after } = commitTurn(next, mine)
        return commands === null ? after : obey(after, mine.epoch, commands)
      }, world)
    }
    case "Busy":
      decideTurn(world, act.epoch)
      return world
    case "DieAfterCommit":
      return die(commitTurn(world, decideTurn(world, act.epoch)).world, act.epoch)
    case "Finish":
      return withFiber(world, act.epoch, act.seq, (host, fiber) => finish(world, host, fiber, act.outcome))
    case "End":
      return withFiber(world, act.epoch, act.seq, (host, fiber) => end(world, host, fiber, act.how))
    case "Overdue":
      return withFiber(world, act.epoch, act.seq, (host, fiber) => overdue(world, host, fiber))
    case "Repeat":
      return withEpoch(world, act.epoch, ({ epoch, taken }) => {
        const signal = taken[act.index]
        return signal === undefined ? world : post(world, epoch, signal)
      })
    case "Cancel":
      return { ...world, cancels: [...world.cancels, { job: act.job, outcome: null }] }
    case "Step":
      return withFiber(world, act.epoch, act.seq, (host, fiber) =>
        nextSteps(world, fiber).includes(act.how) ? takeStep(world, host, fiber, act.how) : world
      )
    case "Answer":
      return say(world, act.job)
    case "Look":
      return withEpoch(world, act.epoch, (host) =>
        post(
          lookAtAnswers(world, host),
          act.epoch,
          ...wanted(world, host).map(
            ({ intent, job }) =>
              ({ _tag: "CancelWanted", job, reason: "operator", actor: "operator:world", intent }) as const
          )
        )
      )
    case "Adopt":
      return post(world, act.epoch, ...orphans(world).map((job) => ({ _tag: "Orphaned", job }) as const))
    case "Stop":
      return withEpoch(world, act.epoch, (host) =>
        post(withHost(world, { ...host, refills: false }), act.epoch, { _tag: "Stopping" })
      )
    case "Crash":
      return die(world, act.epoch)
    case "Fence":
      return fence(world, act.epoch)
    case "Enlist":
      return enlist(world, act.host)
    case "Wait":
      return { ...world, now: world.now + act.millis }
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
