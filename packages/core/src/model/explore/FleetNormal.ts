/**
 * The world that stands for all worlds of its key (FleetKey.ts): the same rows, hosts and mailboxes under the smallest names, without history.
 */
import type { Agent } from "../../domain/Agent.ts"
import * as Intent from "../../domain/Intent.ts"
import { type Job, jobId } from "../../domain/Job.ts"
import { isOver } from "../../domain/JobMachine.ts"
import type { Marker } from "../../domain/Marker.ts"
import type { Signal } from "../../domain/turn/Signal.ts"
import { firstAnswer } from "../world/Commit.ts"
import { stepName } from "../world/Steps.ts"
import type { Fiber, Host, Stored, World } from "../world/World.ts"
import { isFresh, isSettled, jobKey, running, subjectOf } from "./FleetKey.ts"
import {
  answerOf,
  askedBefore,
  former,
  holdOf,
  isOpen,
  living,
  noCancel,
  settledAnswer
} from "./FleetSteps.ts"
import { Renaming } from "./Renaming.ts"

const now = 1_000_000
/** A row's version, and that of one that somebody has read before it was written. */
const version = 10
const stale = 1
/** What the landing's target refuses: less than any other incarnation. */
const refused = 1

/** What the parts of one job are renamed by. */
interface Context {
  readonly names: Renaming
  readonly seq: number
  /** The incarnation that lives in the world that is renamed. */
  readonly incarnation: number
  /** The row under its new names. */
  readonly job: Job
  readonly token: number
}

const signalOf = (world: World, signal: Signal, { incarnation, job, names, seq }: Context): Signal => {
  if (signal._tag === "SettleWanted") {
    const askedOf = signal.askedOf === incarnation ? living : former
    const asked = { ...askedBefore(signal, job, askedOf), version: stale }
    const intent = isOpen(world, signal) ? firstAnswer + seq - 1 : settledAnswer
    return { ...signal, askedOf, job: isFresh(world, signal) ? job : asked, intent }
  }
  if (signal._tag === "CancelWanted") {
    const row = isFresh(world, signal) ? job : { ...unread(job), version: stale }
    return { ...signal, job: row, intent: seq - 1 }
  }
  if (signal._tag === "Orphaned") return { ...signal, job }
  if (!("incarnation" in signal)) return signal
  const who = { seq, incarnation: signal.incarnation === incarnation ? living : former }
  switch (signal._tag) {
    case "Prepared":
      return { ...signal, ...who, workspace: names.place(signal.workspace) }
    case "PrepareFailed":
      return { ...signal, ...who, workspace: names.placeOrNull(signal.workspace) }
    case "Ended":
    case "Hung":
      return { ...signal, ...who, workspace: names.placeOrNull(signal.workspace ?? null) }
    case "Worked":
    case "Verified":
    case "LandingDone":
    case "LandingAbsent":
      return { ...signal, ...who, result: names.result(signal.result) }
    default:
      return { ...signal, ...who }
  }
}

/** What an old reading of the row says: that nothing had happened yet. A commit on it is lost, unless its reader owns the job by now. */
const unread = (job: Job): Job => ({ ...job, state: "PENDING", hold: null, agent: null })

const markerOf = (marker: Marker, names: Renaming, alive: number): Marker => ({
  ...marker,
  at: 0,
  incarnation: marker.name !== stepName ? 0 : marker.incarnation === alive ? living : former,
  result: marker.name === "commit" && marker.result !== null ? names.result(marker.result) : marker.result
})

interface Renamed {
  readonly context: Context
  readonly stored: Stored
}

const agentOf = (agent: Agent, epochs: ReadonlyMap<number, Host>, names: Renaming): Agent => {
  const owner = agent.owner === null ? undefined : epochs.get(agent.owner.epoch)
  const over = agent.state === "tombstoned"
  return {
    ...agent,
    incarnation: living,
    owner: agent.owner === null ? null : { host: owner?.host ?? 0, epoch: owner?.epoch ?? 0 },
    restarts: over ? [] : agent.restarts.map(() => now),
    workspace: over ? null : names.placeOrNull(agent.workspace)
  }
}

/** In the order in which the key names them, so that the same names come out. */
const storedOf = (
  world: World,
  stored: Stored,
  seq: number,
  epochs: ReadonlyMap<number, Host>,
  seqs: ReadonlyMap<number, number>
): Renamed => {
  const names = new Renaming(seq, stored.job.agent?.incarnation ?? 0)
  const { job, letter } = stored
  const settled = isSettled(stored)
  const agent = job.agent === null ? null : agentOf(job.agent, epochs, names)
  const code = job.lastErrorCode === null ? null : "EXT_WORK"
  const row: Job = {
    ...job,
    seq,
    jobId: jobId("w", seq),
    correlationId: "w",
    idempotencyKey: `key-${seqs.get(keyOf(world, stored)) ?? seq}`,
    version,
    runAt: job.runAt <= world.now || isOver(job.state) ? now : now + 1_000,
    createdAt: now,
    updatedAt: now,
    retryCount: settled ? 0 : job.retryCount,
    lastErrorCode: code,
    hold: holdOf(job, now),
    replayOf: job.replayOf === null ? null : (seqs.get(job.replayOf) ?? null),
    agent
  }
  const alive = job.agent?.incarnation ?? 0
  const markers = new Map(
    Array.from(stored.markers)
      .filter(([name]) => !settled || name === stepName)
      .map(([name, marker]) => [name, markerOf(marker, names, alive)] as const)
  )
  const workedIn = settled ? null : names.placeOrNull(stored.workedIn)
  return {
    context: { names, seq, incarnation: job.agent?.incarnation ?? 0, job: row, token: stored.token },
    stored: {
      ...stored,
      job: row,
      events: [],
      retries: [],
      markers,
      letter:
        letter === null
          ? null
          : { ...letter, failureErrorCode: code ?? "", failureSummary: "", quarantinedAt: now },
      supersededBy: stored.supersededBy === null ? null : (seqs.get(stored.supersededBy) ?? null),
      result: stored.result === null ? null : names.result(stored.result),
      writes: version,
      places: new Set(Array.from(stored.places, (place) => names.place(place))),
      workedIn,
      token: job.agent === null ? 0 : !settled && stored.token >= job.agent.incarnation ? living : former,
      renewed: []
    }
  }
}

/** The first job of the chain of replays, whose key all of them have. */
const keyOf = (world: World, { job }: Stored): number => {
  const replayed = job.replayOf === null ? undefined : world.jobs.get(job.replayOf)
  return replayed === undefined ? Number(job.idempotencyKey.slice("key-".length)) : keyOf(world, replayed)
}

/** Results that nothing else mentions are forgotten. */
const remembered = ({ context: { names }, stored }: Renamed): Stored => {
  const known = (texts: ReadonlySet<string>): ReadonlySet<string> =>
    new Set(Array.from(texts).flatMap((text) => (names.has(text) ? [names.result(text)] : [])))
  return {
    ...stored,
    passes: known(stored.passes),
    turnedDown: isSettled(stored) ? new Set() : known(stored.turnedDown)
  }
}

const fiberOf = (fiber: Fiber, { incarnation, names, seq, token }: Context): Fiber => ({
  ...fiber,
  seq,
  incarnation: fiber.incarnation === incarnation ? living : fiber.incarnation < token ? refused : former,
  result: names.result(fiber.result),
  workspace: names.placeOrNull(fiber.workspace)
})

/** What stands for a job, and for what each host that runs has of it. */
interface Part {
  readonly stored: Stored
  readonly fibers: ReadonlyArray<Fiber | undefined>
  readonly signals: ReadonlyArray<ReadonlyArray<Signal>>
}

const partOf = (world: World, hosts: ReadonlyArray<Host>, renamed: Renamed, before: number): Part => {
  const fibers = hosts.map((host) => {
    const fiber = host.fibers.get(before)
    return fiber === undefined ? undefined : fiberOf(fiber, renamed.context)
  })
  const signals = hosts.map(({ inbox }) =>
    inbox.flatMap((signal) =>
      subjectOf(signal) === before ? [signalOf(world, signal, renamed.context)] : []
    )
  )
  // last, when all is named that is mentioned anywhere
  return { stored: remembered(renamed), fibers, signals }
}

/** The host under its new names, with what the parts say of it. */
const hostOf = (host: Host, index: number, parts: ReadonlyArray<Part>): Host => {
  const owned = parts.flatMap(({ stored: { job } }) =>
    job.agent?.owner?.epoch === host.epoch ? [[job.seq, job] as const] : []
  )
  const fibers = parts.flatMap((part) => part.fibers[index] ?? [])
  return {
    ...host,
    owned: new Map(owned),
    inbox: [
      ...parts.flatMap((part) => part.signals[index] ?? []),
      ...host.inbox.filter((signal) => subjectOf(signal) === 0)
    ],
    taken: [],
    fibers: new Map(fibers.map((fiber) => [fiber.seq, fiber]))
  }
}

/** Parts that were made before, by what they stand for: most worlds are made of the same few, and share them. */
export type Parts = Map<string, Part>

const paused: ReadonlyArray<Intent.OpenIntent> = [{ intent: 1, kind: "pause", host: null, value: null }]

const cancelOutcome = (world: World, seq: number): string | null => {
  const wished = world.cancels.filter(({ job, outcome }) => job === seq && outcome !== noCancel)
  if (wished.length === 0) return noCancel
  return wished.some(({ outcome }) => outcome === null) ? null : (wished.at(-1)?.outcome ?? null)
}

/** Stands for all worlds of its key. `symmetric`: jobs and hosts change their numbers, where that makes two worlds one. */
export const worldNormal = (world: World, symmetric: boolean, parts: Parts = new Map()): World => {
  const hosts = running(world, symmetric)
  const renamed = hosts.map((host, index) => ({
    ...host,
    epoch: index + 1,
    host: symmetric ? index + 1 : host.host
  }))
  const epochs = new Map(hosts.map((host, index) => [host.epoch, renamed[index] ?? host]))
  const keyed = Array.from(world.jobs.values(), (stored) => ({ stored, key: jobKey(world, hosts, stored) }))
  const ordered = !symmetric ? keyed : keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  const seqs = new Map(
    ordered.map(({ stored: { job } }, index) => [job.seq, symmetric ? index + 1 : job.seq])
  )
  const numbers = renamed.map(({ host }) => host).join()
  const made = ordered.map(({ key, stored }): Part => {
    const before = stored.job.seq
    const seq = seqs.get(before) ?? 0
    const links = [stored.job.replayOf ?? 0, stored.supersededBy ?? 0, keyOf(world, stored)]
    const name = `${seq},${links.map((link) => seqs.get(link) ?? 0).join()}|${numbers}|${key}`
    const known = parts.get(name)
    if (known !== undefined) return known
    const part = partOf(world, hosts, storedOf(world, stored, seq, epochs, seqs), before)
    parts.set(name, part)
    return part
  })
  return {
    ...world,
    now,
    jobs: new Map(made.map(({ stored }) => [stored.job.seq, stored])),
    hosts: renamed.map((host, index) => hostOf(host, index, made)),
    cancels: ordered.map(({ stored }, index) => ({
      job: made[index]?.stored.job.seq ?? 0,
      outcome: cancelOutcome(world, stored.job.seq)
    })),
    answers: ordered.map(({ stored }, index) => answerOf(world, stored, made[index]?.stored.job.seq ?? 0)),
    intents: Intent.pausesOf(world.intents).length === 0 ? [] : paused
  }
}
