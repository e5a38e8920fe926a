/**
 * The step that agents of this world do once (R28): asked for, done in the outside world, told; and operators who know whether it was.
 */
import { readHold } from "../../domain/JobHold.ts"
import type { Signal } from "../../domain/turn/Signal.ts"
import { firstAnswer } from "./Commit.ts"
import { type Fiber, type Host, post, type World, withHost, withStored } from "./World.ts"

/** The name of its marker. */
export const stepName = "pay"

/** What a work fiber may do next with its step. */
export const nextSteps = (world: World, fiber: Fiber): ReadonlyArray<"begin" | "pay" | "tell" | "clear"> => {
  if (fiber.phase !== "work") return []
  switch (fiber.step) {
    case "idle":
      return fiber.stopping || world.jobs.get(fiber.seq)?.markers.get(stepName)?.state === "finished"
        ? []
        : ["begin"]
    case "granted":
      return ["pay", "clear"]
    case "done":
      return ["tell"]
    default:
      return []
  }
}

const withStep = (world: World, host: Host, fiber: Fiber, step: Fiber["step"]): World =>
  withHost(world, { ...host, fibers: new Map(host.fibers).set(fiber.seq, { ...fiber, step }) })

/** The work goes on with its step; an interrupted one may still do what it was granted, and say so. */
export const takeStep = (
  world: World,
  host: Host,
  fiber: Fiber,
  how: "begin" | "pay" | "tell" | "clear"
): World => {
  const who = { seq: fiber.seq, incarnation: fiber.incarnation }
  switch (how) {
    case "begin":
      return post(withStep(world, host, fiber, "asked"), host.epoch, {
        _tag: "MarkerStarted",
        ...who,
        id: 1,
        name: stepName,
        doubtful: false
      })
    case "pay": {
      const stored = world.jobs.get(fiber.seq)
      const next = withStep(world, host, fiber, "done")
      return stored === undefined ? next : withStored(next, { ...stored, payments: stored.payments + 1 })
    }
    case "tell":
    case "clear": {
      const result = how === "tell" ? "1" : null
      const told = withStep(world, host, fiber, how === "tell" ? "told" : "clearing")
      return post(told, host.epoch, { _tag: "MarkerFinished", ...who, id: 2, name: stepName, result })
    }
  }
}

/** Jobs that ask, and of which nothing runs any more: an operator can see whether the step was done. */
export const asking = (world: World): ReadonlyArray<number> => {
  const alive = new Set(world.hosts.flatMap(({ fibers }) => [...fibers.keys()]))
  return Array.from(world.jobs.values(), ({ job }) => job).flatMap((job) =>
    readHold(job.hold) !== null && !alive.has(job.seq) ? [job.seq] : []
  )
}

/** The operator says what is so. */
export const say = (world: World, job: number): World => {
  const done = (world.jobs.get(job)?.payments ?? 0) > 0
  const askedOf = world.jobs.get(job)?.job.agent?.incarnation ?? 0
  return { ...world, answers: [...world.answers, { job, askedOf, done, outcome: null }] }
}

/** Open answers that are this host's to carry out, with their places, and that don't wait in its mailbox already. */
export const answersFor = (world: World, { epoch, inbox }: Host) =>
  world.answers.flatMap(({ askedOf, done, job: seq, outcome }, index) => {
    const intent = firstAnswer + index
    const job = world.jobs.get(seq)?.job
    const owner = job?.agent?.owner ?? null
    const mine = owner === null || owner.epoch === epoch
    const waits = inbox.some((signal) => signal._tag === "SettleWanted" && signal.intent === intent)
    return outcome === null && job !== undefined && mine && !waits ? [{ askedOf, done, intent, job }] : []
  })

/** Gives the open answers to a host, as operators have written them. */
export const lookAtAnswers = (world: World, host: Host): World =>
  post(
    world,
    host.epoch,
    ...answersFor(world, host).map(({ askedOf, done, intent, job }): Signal => ({
      _tag: "SettleWanted",
      job,
      settlement: done
        ? { marker: stepName, outcome: "done", result: 1 }
        : { marker: stepName, outcome: "not_done" },
      askedOf,
      actor: "operator:world",
      text: null,
      intent
    }))
  )
