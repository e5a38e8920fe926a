/** Invariants of the story that events tell: every move is in its table, is told, and ends where the table ends. */
import { AgentMachine } from "../../domain/AgentMachine.ts"
import { JobMachine } from "../../domain/JobMachine.ts"
import type { EventDraft } from "../../domain/LifecycleEvent.ts"
import * as Machine from "../../domain/Machine.ts"
import { make } from "../Invariant.ts"
import { always, alwaysStep } from "../Temporal.ts"
import type { Stored } from "../world/World.ts"
import { alarmed, type FleetInvariant, movesSince, ofEachChange } from "./Look.ts"

const inWords = ({ event, fromState, subjectKind, toState }: EventDraft): string =>
  `"${subjectKind} ${fromState} ${event} ${toState}"`

const ofKind = (events: ReadonlyArray<EventDraft>, kind: EventDraft["subjectKind"]) =>
  events.filter(({ subjectKind }) => subjectKind === kind)

/** The moves of one subject follow on its state and on each other, and lead to the state that its row has now. */
const chain = (
  machine: Machine.Machine,
  from: string | null,
  moves: ReadonlyArray<EventDraft>,
  now: string | null
): ReadonlyArray<string> => {
  const found: Array<string> = []
  let state = from
  for (const move of moves) {
    if (move.fromState !== state) found.push(`${inWords(move)} follows on ${state}`)
    const edge = state === null ? null : Machine.edge(machine, state, move.event)
    const name = edge === null ? machine.creation.event : edge?.event
    const to = edge === null ? machine.initial : edge?.to
    if (name !== move.event || to !== move.toState) found.push(`${inWords(move)} is no edge of the table`)
    state = move.toState
  }
  if (state !== now) found.push(`the story ends in ${state}, and the ${machine.name} is ${now}`)
  return found
}

/** Each move has a reason of its table's vocabulary, an actor, and doesn't come before the one that it follows on. */
const told = (
  machine: Machine.Machine,
  last: EventDraft | undefined,
  moves: ReadonlyArray<EventDraft>
): ReadonlyArray<string> => {
  const found: Array<string> = []
  let at = last?.occurredAt ?? Number.NEGATIVE_INFINITY
  let incarnation = last?.incarnation ?? 0
  for (const move of moves) {
    const edge = move.fromState === null ? null : Machine.edge(machine, move.fromState, move.event)
    const reasons = edge === null ? machine.creation.reasons : (edge?.reasons ?? [])
    if (!reasons.includes(move.transitionReason))
      found.push(`${inWords(move)} has no reason "${move.transitionReason}"`)
    if (move.actor === "" || move.occurredAt < at) found.push(`${inWords(move)} lacks actor or order`)
    if (move.incarnation < incarnation) found.push(`${inWords(move)} belongs to an earlier incarnation`)
    at = move.occurredAt
    incarnation = move.incarnation
  }
  return found
}

const agentState = (stored: Stored | null): string | null => stored?.job.agent?.state ?? null

export const stories: ReadonlyArray<FleetInvariant> = [
  make({
    id: "moves-follow-the-table",
    sentence:
      "Every state that a row shows was reached by moves of its table, none missing and none beside it.",
    lanes: ["loop"],
    primitive: "transition_table",
    temporal: alwaysStep(
      ofEachChange((before, after) => {
        const moves = movesSince(before, after)
        return [
          ...chain(JobMachine, before?.job.state ?? null, ofKind(moves, "job"), after.job.state),
          ...chain(AgentMachine, agentState(before), ofKind(moves, "agent"), agentState(after))
        ]
      })
    ),
    source: "seed 1, State Machine Contract; law 2"
  }),
  make({
    id: "moves-are-told",
    sentence: "Every move has a reason of its vocabulary, an actor and a time, in order.",
    lanes: ["loop"],
    primitive: "one_commit",
    temporal: alwaysStep(
      ofEachChange((before, after) => {
        const moves = movesSince(before, after)
        const last = (kind: EventDraft["subjectKind"]) =>
          before?.events.findLast(({ subjectKind, toState }) => subjectKind === kind && toState !== null)
        return [
          ...told(JobMachine, last("job"), ofKind(moves, "job")),
          ...told(AgentMachine, last("agent"), ofKind(moves, "agent"))
        ]
      })
    ),
    source: "seed 1, Forbidden transitions; R12"
  }),
  make({
    id: "terminal-states-absorb",
    sentence:
      "A job that is completed, cancelled or quarantined stays so, and a tombstoned agent's row is closed.",
    lanes: ["loop", "other_loop", "operator"],
    primitive: "compare_and_swap",
    temporal: always(alarmed("written-when-over")),
    source: "seed 1, Forbidden transitions"
  }),
  make({
    id: "final-states-are-left-by-nobody",
    sentence: "No step leads out of a final state of a job or of an agent.",
    lanes: ["loop", "other_loop", "operator"],
    primitive: "compare_and_swap",
    temporal: alwaysStep(
      ofEachChange((before, after) => {
        if (before === null) return null
        const agent = before.job.agent
        const moved = Machine.isFinal(JobMachine, before.job.state) && after.job.state !== before.job.state
        const risen =
          agent !== null && Machine.isFinal(AgentMachine, agent.state) && agentState(after) !== agent.state
        return [
          ...(moved ? [`it was ${before.job.state}, and is ${after.job.state}`] : []),
          ...(risen ? [`its agent was ${agent.state}, and is ${agentState(after)}`] : [])
        ]
      })
    ),
    source: "seed 1, Forbidden transitions; design, The tables"
  })
]
