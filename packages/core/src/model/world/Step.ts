/**
 * Lets one thing happen in a world.
 */
import type { Act } from "./Act.ts"
import { commitTurn, die, fence } from "./Commit.ts"
import { cancel, lookAtIntents, replay, submit, submitAgain, wish } from "./Operators.ts"
import { end, finish, overdue } from "./Outside.ts"
import { lookAtAnswers, nextSteps, say, takeStep } from "./Steps.ts"
import { decideTurn, obey, turn } from "./Turns.ts"
import {
  enlist,
  type Fiber,
  type Host,
  hostOf,
  isOrphaned,
  post,
  type World,
  withHost,
  withStored
} from "./World.ts"

/** Rows that somebody has to take over. */
export const orphans = (world: World) =>
  Array.from(world.jobs.values(), ({ job }) => job).filter(({ agent }) => isOrphaned(world, agent))

/** Open cancels that are this host's to carry out: nobody else living owns the job. */
export const wanted = (world: World, host: Host) =>
  world.cancels.flatMap(({ job: seq, outcome }, intent) => {
    const job = world.jobs.get(seq)?.job
    const owner = job?.agent?.owner ?? null
    const mine = owner === null || owner.epoch === host.epoch
    return outcome === null && job !== undefined && mine ? [{ intent, job }] : []
  })

/** Whether the host has a letter about this row already that it has not read yet: another one would say the same. */
export const awaits = ({ inbox }: Host, tag: "CancelWanted" | "Orphaned", seq: number): boolean =>
  inbox.some((signal) => signal._tag === tag && signal.job.seq === seq)

/** The signals that were taken come a second time. */
const giveAgain = (before: World, act: Act & { readonly _tag: "Turn" }): World => {
  const signals = hostOf(before, act.epoch).inbox
  const took = act.take ?? Array.from(signals.slice(0, act.most).keys())
  return post(turn(before, act.epoch, act), act.epoch, ...took.flatMap((index) => signals[index] ?? []))
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
      return act.again === true ? giveAgain(world, act) : turn(world, act.epoch, act)
    case "Race": {
      const decided = [act.first, act.second].map((epoch) =>
        decideTurn(world, epoch, act.most === undefined ? {} : { most: act.most })
      )
      return decided.reduce((next, mine) => {
        const { commands, world: after } = commitTurn(next, mine)
        return commands === null ? after : obey(after, mine.epoch, commands)
      }, world)
    }
    case "Busy":
      decideTurn(world, act.epoch)
      return world
    case "DieAfterCommit":
      return die(commitTurn(world, decideTurn(world, act.epoch, act)).world, act.epoch)
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
      return cancel(world, act.job)
    case "Step":
      return withFiber(world, act.epoch, act.seq, (host, fiber) =>
        nextSteps(world, fiber).includes(act.how) ? takeStep(world, host, fiber, act.how) : world
      )
    case "Answer":
      return say(world, act.job)
    case "Look":
      return withEpoch(world, act.epoch, (host) =>
        post(
          lookAtAnswers(lookAtIntents(world, host), host),
          act.epoch,
          ...wanted(world, host)
            .filter(({ job }) => !awaits(host, "CancelWanted", job.seq))
            .map(
              ({ intent, job }) =>
                ({ _tag: "CancelWanted", job, reason: "operator", actor: "operator:world", intent }) as const
            )
        )
      )
    case "Adopt":
      return withEpoch(world, act.epoch, (host) =>
        post(
          world,
          act.epoch,
          ...orphans(world)
            .filter(({ seq }) => !awaits(host, "Orphaned", seq))
            .map((job) => ({ _tag: "Orphaned", job }) as const)
        )
      )
    case "Stop":
      return withEpoch(world, act.epoch, (host) =>
        post(withHost(world, { ...host, refills: false }), act.epoch, { _tag: "Stopping" })
      )
    case "Crash":
    case "Leave":
      return die(world, act.epoch)
    case "Fence":
      return fence(world, act.epoch)
    case "Enlist":
      return enlist(world, act.host)
    case "Due": {
      const stored = world.jobs.get(act.job)
      return stored === undefined
        ? world
        : withStored(world, { ...stored, job: { ...stored.job, runAt: world.now } })
    }
    case "Pause":
      return wish(world, "pause")
    case "Resume":
      return wish(world, "resume")
    case "SubmitAgain":
      return submitAgain(world, act.job)
    case "Replay":
      return replay(world, act.job, act.operators)
    case "Wait":
      return { ...world, now: world.now + act.millis }
  }
}
