/**
 * What the memory store refuses by itself, as a database does by its constraints (R12, law 2): the first broken rule in words, or
 * null.
 */
import {
  AgentMachine,
  type BreakerRow,
  type EventDraftRow,
  JobMachine,
  type JobStateRow,
  type Machine
} from "@muster/core"

const statesOf = ({ states }: Machine.Machine): ReadonlySet<string> => new Set(states)
const jobStates = statesOf(JobMachine)
const agentStates = statesOf(AgentMachine)

const subjects: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["job", jobStates],
  ["agent", agentStates],
  ["host", new Set()]
])

export const brokenEvent = (event: EventDraftRow): string | null => {
  const states = subjects.get(event.subject_kind)
  if (states === undefined) return `"${event.subject_kind}" is no kind of subject`
  if (event.from_state !== null && !states.has(event.from_state))
    return `"${event.from_state}" is no state of a ${event.subject_kind}`
  if (event.to_state !== null && !states.has(event.to_state))
    return `"${event.to_state}" is no state of a ${event.subject_kind}`
  if (event.transition_reason === "") return `the event ${event.event} has no reason`
  if (event.actor === "") return `the event ${event.event} has no actor`
  if (!Number.isSafeInteger(event.occurred_at)) return `the event ${event.event} has no time`
  return null
}

/** The first broken rule of these events. */
export const brokenEvents = (events: ReadonlyArray<EventDraftRow>): string | null => {
  for (const event of events) {
    const broken = brokenEvent(event)
    if (broken !== null) return broken
  }
  return null
}

export const brokenState = (row: JobStateRow): string | null => {
  if (!jobStates.has(row.state)) return `"${row.state}" is no state of a job`
  if (row.agent_state !== null && !agentStates.has(row.agent_state))
    return `"${row.agent_state}" is no state of an agent`
  if (!Number.isSafeInteger(row.run_at) || !Number.isSafeInteger(row.updated_at))
    return "run_at and updated_at must be instants"
  return null
}

const breakerStates: ReadonlySet<string> = new Set(["open", "half_open", "closed"])

export const brokenBreakers = (rows: ReadonlyArray<BreakerRow>): string | null => {
  const broken = rows.find(({ state }) => !breakerStates.has(state))
  return broken === undefined ? null : `"${broken.state}" is no state of a breaker`
}
