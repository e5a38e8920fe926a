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

/** How a turn was narrowed, where it was. */
const heard = (act: Act & { readonly _tag: "Turn" | "DieAfterCommit" }): string => {
  if (act.take !== undefined)
    return act.take.length === 0
      ? ", taking no signal"
      : `, taking signal ${act.take.map((at) => at + 1).join(" and ")}`
  return act.most === 1 ? ", taking one signal" : ""
}

/** What an act is, in words. */
export const tellAct = (world: World, act: Act): string => {
  const host = "epoch" in act ? hostName(world, act.epoch) : ""
  switch (act._tag) {
    case "Submit":
      return `a caller submits ${act.workflowType} with payload ${act.payload} and ${act.maxRetries} retries`
    case "Turn":
      return `${host} takes a turn${heard(act)}${act.again === true ? "; what it has heard will come again" : ""}`
    case "Race":
      return `${hostName(world, act.first)} and ${hostName(world, act.second)} decide at once, and commit in this order`
    case "Busy":
      return `${host} decides, and the store is busy`
    case "DieAfterCommit":
      return `${host} takes a turn${heard(act)}, and dies after its commit`
    case "Finish":
      return `on ${host}, job ${act.seq} ends its phase: ${act.outcome.replaceAll("_", " ")}`
    case "End":
      return `on ${host}, the interrupted phase of job ${act.seq}: ${act.how.replaceAll("_", " ")}`
    case "Overdue":
      return `on ${host}, job ${act.seq} is silent or late`
    case "Repeat":
      return `${host} is handed a signal that it has taken before`
    case "Cancel":
      return `an operator cancels job ${act.job}`
    case "Step":
      return `on ${host}, the work of job ${act.seq} goes on with its step: ${act.how}`
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
      return `the wait of job ${act.job} is over`
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

const signalName = (signal: Signal): string => {
  const of = "seq" in signal ? ` of job ${signal.seq}` : "job" in signal ? ` of job ${signal.job.seq}` : ""
  return `${signal._tag}${of}${"incarnation" in signal ? ` (incarnation ${signal.incarnation})` : ""}`
}

const isSame = (a: Fiber | undefined, b: Fiber): boolean =>
  a?.phase === b.phase && a.incarnation === b.incarnation && a.asks === b.asks

const hostLines = (before: Host | undefined, after: Host): ReadonlyArray<string> => {
  const name = `host ${after.host}`
  const lines: Array<string> = []
  if (before?.runs === true && !after.runs) lines.push(`${name} is over`)
  for (const signal of after.inbox)
    if (before?.inbox.includes(signal) !== true)
      lines.push(`${name} has in its mailbox: ${signalName(signal)}`)
  for (const fiber of after.fibers.values()) {
    const former = before?.fibers.get(fiber.seq)
    const what = `${fiber.asks ? "asking its lander" : fiber.phase} of job ${fiber.seq}, incarnation ${fiber.incarnation}`
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
    if (former !== stored) lines.push(...eventLines(former, stored), ...outsideLines(former, stored))
  }
  for (const host of after.hosts) {
    const former = before.hosts.find(({ epoch }) => epoch === host.epoch)
    if (former !== host) lines.push(...hostLines(former, host))
  }
  for (const { text } of after.alarms.slice(before.alarms.length)) lines.push(`! ${text}`)
  return lines
}

/** A step of a trace. */
export const tellStep = (before: World, act: Act, after: World): TraceStep => ({
  act: tellAct(before, act),
  seen: seen(before, after)
})
