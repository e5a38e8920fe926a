/**
 * A step of the world in words: what happened, and what is to be seen afterwards. Traces are made of it.
 */
import type { EventDraft } from "../../domain/LifecycleEvent.ts"
import type { Signal } from "../../domain/turn/Signal.ts"
import type { TraceStep } from "../Verdict.ts"
import type { Act } from "./Act.ts"
import type { Fiber, Host, Stored, World } from "./World.ts"

const hostName = ({ hosts }: World, epoch: number): string => {
  const host = hosts.find((candidate) => candidate.epoch === epoch)
  return host === undefined ? `epoch ${epoch}` : `host ${host.host} (epoch ${epoch})`
}

const signalName = (signal: Signal): string => {
  const of = "seq" in signal ? ` of job ${signal.seq}` : "job" in signal ? ` of job ${signal.job.seq}` : ""
  return `${signal._tag}${of}${"incarnation" in signal ? ` (incarnation ${signal.incarnation})` : ""}`
}

/** What a turn was taken on, where it was narrowed. */
const heard = (
  { hosts }: World,
  { epoch, most, take }: Act & { readonly _tag: "Turn" | "DieAfterCommit" }
): string => {
  const inbox = hosts.find((host) => host.epoch === epoch)?.inbox ?? []
  const taken = take === undefined ? (most === 1 ? inbox.slice(0, 1) : null) : take.map((at) => inbox[at])
  if (taken === null) return ""
  const names = taken.flatMap((signal) => (signal === undefined ? [] : [signalName(signal)]))
  return names.length === 0 ? " and looks for due jobs" : ` on ${names.join(" and ")}`
}

const phases: { readonly [P in Fiber["phase"]]: string } = {
  prepare: "the preparation",
  sentinel: "the check of the workspace",
  work: "the work",
  commit: "the commit",
  verify: "the verification",
  land: "the landing",
  archive: "the archiving",
  tombstone: "the tombstone",
  clean: "the clean-up"
}

const fiberName = (world: World, epoch: number, seq: number): string => {
  const fiber = world.hosts.find((host) => host.epoch === epoch)?.fibers.get(seq)
  const phase =
    fiber === undefined ? "a phase" : fiber.asks ? "the question to the lander" : phases[fiber.phase]
  return `${phase} of job ${seq}`
}

/** Ends that one word doesn't tell. */
const endings: { readonly [outcome: string]: string } = {
  told: "it knows",
  cant_tell: "nobody can tell",
  landed_unknown: "it has landed, and nobody can tell",
  absent_unknown: "it hasn't landed, and nobody can tell",
  limited: "it is asked to wait",
  permanent: "it failed for good",
  kept: "the workspace is kept",
  ended: "it has ended",
  hung: "it hangs, and is given up",
  ended_landed: "it has ended, and has landed before",
  ended_made: "it has ended, and has made a workspace before"
}

const stepWords = {
  begin: "it asks to begin its step",
  pay: "it does its step",
  tell: "it tells that its step is done",
  clear: "it tells that its step was not done"
} as const

/** What an act is, in words. */
export const tellAct = (world: World, act: Act): string => {
  const host = "epoch" in act ? hostName(world, act.epoch) : ""
  switch (act._tag) {
    case "Submit":
      return `a caller submits ${act.workflowType} with payload ${act.payload} and ${act.maxRetries} retries`
    case "Turn":
      return `${host} takes a turn${heard(world, act)}${act.again === true ? "; what it was told will come again" : ""}`
    case "Race":
      return `${hostName(world, act.first)} and ${hostName(world, act.second)} decide at once, and commit in this order`
    case "Busy":
      return `${host} decides, and the store is busy`
    case "DieAfterCommit":
      return `${host} takes a turn${heard(world, act)}, and dies after its commit`
    case "Finish":
      return `on ${host}, ${fiberName(world, act.epoch, act.seq)} ends: ${endings[act.outcome] ?? act.outcome}`
    case "End":
      return `on ${host}, ${fiberName(world, act.epoch, act.seq)} was interrupted: ${endings[act.how]}`
    case "Overdue":
      return `on ${host}, ${fiberName(world, act.epoch, act.seq)} is silent or late`
    case "Repeat":
      return `${host} is handed a signal that it has taken before`
    case "Cancel":
      return `an operator cancels job ${act.job}`
    case "Step":
      return `on ${host}, ${fiberName(world, act.epoch, act.seq)} goes on: ${stepWords[act.how]}`
    case "Answer":
      return `an operator says what became of the step of job ${act.job}`
    case "Look":
      return `${host} looks at what operators want`
    case "Adopt":
      return `${host} looks at the rows of lost hosts`
    case "Stop":
      return `${host} is told to stop`
    case "Crash":
      return `${host} crashes`
    case "Fence":
      return `${host} is taken for lost, and doesn't know it`
    case "Enlist":
      return `host ${act.host} starts`
    case "Leave":
      return `${host} leaves`
    case "Due":
      return `job ${act.job} is due`
    case "Pause":
      return "an operator pauses the fleet"
    case "Resume":
      return "an operator resumes the fleet"
    case "SubmitAgain":
      return `the caller of job ${act.job} submits it again`
    case "Replay":
      return act.operators === 2
        ? `two operators replay job ${act.job} at once`
        : `an operator replays job ${act.job}`
    case "Wait":
      return `${act.millis} ms pass`
  }
}

const move = ({ event, fromState, toState, transitionReason }: EventDraft): string =>
  toState === null
    ? `noted: ${event} (${transitionReason})`
    : `${fromState ?? "new"} -${event}-> ${toState} (${transitionReason})`

const eventLines = (before: Stored | undefined, after: Stored): ReadonlyArray<string> => {
  const fresh = after.events.slice(before?.events.length ?? 0)
  return (["job", "agent"] as const).flatMap((kind) => {
    const moves = fresh.filter(({ subjectKind }) => subjectKind === kind)
    const life = kind === "agent" ? ` (incarnation ${moves.at(-1)?.incarnation})` : ""
    return moves.length === 0 ? [] : [`${kind} ${after.job.seq}${life}: ${moves.map(move).join(", ")}`]
  })
}

const outsideLines = (before: Stored | undefined, after: Stored): ReadonlyArray<string> => [
  ...(after.landings > (before?.landings ?? 0) ? [`job ${after.job.seq} is landed outside`] : []),
  ...(after.payments > (before?.payments ?? 0) ? [`the step of job ${after.job.seq} is done outside`] : [])
]

/** What was written of the step, and whether its job is parked because of it. */
const stepLines = (before: Stored | undefined, after: Stored): ReadonlyArray<string> => {
  const { hold, seq } = after.job
  const marker = after.markers.get("pay")
  const written = marker !== undefined && marker !== before?.markers.get("pay")
  const parked = (before?.job.hold ?? null) === null && hold !== null
  return [
    ...(written ? [`the step of job ${seq} is written down as ${marker.state}`] : []),
    ...(parked ? [`job ${seq} is parked, and asks an operator about its step`] : [])
  ]
}

/** Cancels that have come to their answer. */
const cancelLines = (before: World, after: World): ReadonlyArray<string> =>
  after.cancels.flatMap(({ job, outcome }, index) =>
    outcome !== null && before.cancels[index]?.outcome === null
      ? [`the cancel of job ${job} is answered: ${outcome.replaceAll("_", " ")}`]
      : []
  )

const isSame = (a: Fiber | undefined, b: Fiber): boolean =>
  a?.phase === b.phase && a.incarnation === b.incarnation && a.asks === b.asks

const hostLines = (before: Host | undefined, after: Host): ReadonlyArray<string> => {
  const name = `host ${after.host}`
  const lines: Array<string> = []
  if (before?.runs === true && !after.runs) lines.push(`${name} is over`)
  if (before !== undefined && before.control.paused !== after.control.paused)
    lines.push(`${name} ${after.control.paused ? "is paused from now on" : "is paused no longer"}`)
  for (const signal of after.inbox)
    if (before?.inbox.includes(signal) !== true) lines.push(`${name} is told: ${signalName(signal)}`)
  for (const fiber of after.fibers.values()) {
    const former = before?.fibers.get(fiber.seq)
    const life = `of job ${fiber.seq}, incarnation ${fiber.incarnation}`
    const what = `${fiber.asks ? "to ask its lander about the landing" : fiber.phase} ${life}`
    if (!isSame(former, fiber)) lines.push(`${name} begins ${what}`)
    else if (former?.stopping === false && fiber.stopping) lines.push(`${name} interrupts ${what}`)
  }
  return lines
}

/** What a step has changed, a line each. */
export const seen = (before: World, after: World): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const stored of after.jobs.values()) {
    const former = before.jobs.get(stored.job.seq)
    if (former !== stored)
      lines.push(...eventLines(former, stored), ...stepLines(former, stored), ...outsideLines(former, stored))
  }
  lines.push(...cancelLines(before, after))
  for (const host of after.hosts) {
    const former = before.hosts.find(({ epoch }) => epoch === host.epoch)
    if (former !== host) lines.push(...hostLines(former, host))
  }
  for (const { text } of after.alarms.slice(before.alarms.length)) lines.push(`! ${text}`)
  return lines
}

/** A step of a trace. */
export const tellStep = (before: World, act: Act, after: World): TraceStep => {
  const lines = seen(before, after)
  const idle = lines.length === 0 && act._tag === "Turn" && act.take !== undefined && act.take.length > 0
  return { act: tellAct(before, act), seen: idle ? ["nothing follows from it"] : lines }
}
