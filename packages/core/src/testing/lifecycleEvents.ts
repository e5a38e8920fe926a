/**
 * One event of every kind that a fleet writes: each edge of the tables with each of its reasons, the creations, and the notes that stand
 * outside the chains. For tests of whatever watches events.
 */
import { AgentMachine } from "../domain/AgentMachine.ts"
import { JobMachine } from "../domain/JobMachine.ts"
import type { EventDraft, LifecycleEvent, SubjectKind } from "../domain/LifecycleEvent.ts"

type Move = Pick<EventDraft, "subjectKind" | "event" | "fromState" | "toState" | "transitionReason">

interface Table {
  readonly initial: string
  readonly creation: { readonly event: string; readonly reasons: ReadonlyArray<string> }
  readonly edges: ReadonlyArray<{
    readonly from: string
    readonly event: string
    readonly to: string
    readonly reasons: ReadonlyArray<string>
  }>
}

const movesOf = (subjectKind: SubjectKind, { creation, edges, initial }: Table): ReadonlyArray<Move> =>
  [{ from: null, to: initial, ...creation }, ...edges].flatMap(({ event, from, reasons, to }) =>
    reasons.map((transitionReason) => ({
      subjectKind,
      event,
      fromState: from,
      toState: to,
      transitionReason
    }))
  )

const note = (subjectKind: SubjectKind, event: string, transitionReason: string): Move => ({
  subjectKind,
  event,
  fromState: null,
  toState: null,
  transitionReason
})

/** In the order of a store: ascending sequences, times that don't go back, ids of `storeId`. */
export const lifecycleEvents = (storeId = "events"): ReadonlyArray<LifecycleEvent> =>
  [
    ...movesOf("job", JobMachine),
    ...movesOf("agent", AgentMachine),
    note("agent", "late_completion", "stale_incarnation"),
    note("host", "stopped", "stop")
  ].map(({ event, fromState, subjectKind, toState, transitionReason }, index) => ({
    subjectKind,
    event,
    fromState,
    toState,
    transitionReason,
    sequence: index + 1,
    eventId: `${storeId}-e${index + 1}`,
    jobId: subjectKind === "host" ? null : `${storeId}-1`,
    correlationId: subjectKind === "host" ? null : `${storeId}-1`,
    errorCode: event === "fail" ? "EXT_TEST" : null,
    actor: "host:1",
    occurredAt: index,
    incarnation: subjectKind === "agent" ? 1 : 0,
    detail: event === "fail" ? JSON.stringify({ message: "a detail" }) : null
  }))
