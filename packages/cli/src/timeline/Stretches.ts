/**
 * A job's life as stretches of time: each state that the job or its agent was in, from when to when, and what ended it.
 */
import { AgentMachine, type Job, JobMachine, type LifecycleEvent, Machine } from "@muster/core"

export interface Stretch {
  readonly subject: "job" | "agent"
  readonly state: string
  /** Which life of the agent, from 1; 0 before there was one. */
  readonly incarnation: number
  /** Epoch ms. */
  readonly from: number
  /** Epoch ms; null while it lasts. A state that nothing leaves lasts. */
  readonly until: number | null
  /** The move that ended it; null while it lasts. */
  readonly left: LifecycleEvent | null
}

const of = (subject: Stretch["subject"], events: ReadonlyArray<LifecycleEvent>): ReadonlyArray<Stretch> => {
  // notes move nothing
  const moves = events.filter(({ subjectKind, toState }) => subjectKind === subject && toState !== null)
  const latest = Math.max(0, ...events.map(({ incarnation }) => incarnation))
  return moves.map((move, index) => {
    const next = moves[index + 1] ?? null
    return {
      subject,
      state: move.toState ?? "",
      // a job's move is of the life that was: which one it begins is told by the move that ends it
      incarnation: next?.incarnation ?? latest,
      from: move.occurredAt,
      until: next?.occurredAt ?? null,
      left: next
    }
  })
}

/** The job's first, then its agent's, each in order. */
export const stretchesOf = (events: ReadonlyArray<LifecycleEvent>): ReadonlyArray<Stretch> => [
  ...of("job", events),
  ...of("agent", events)
]

/** Whether nothing more happens to the job: it is over and no agent of it lives. */
export const isQuiet = ({ agent, state }: Job): boolean =>
  (state === "FAILED" || Machine.isFinal(JobMachine, state)) &&
  (agent === null || Machine.isFinal(AgentMachine, agent.state))
