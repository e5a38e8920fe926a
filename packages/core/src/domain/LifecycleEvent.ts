/**
 * The audit record of one move, with the seed's field names in JSON. Its id is the store's id and its sequence (R12);
 * every move has a reason, an actor and a time, and is written in the transaction that makes it.
 */
import { Schema } from "effect"

/** What moved. `host` records and late or refused messages are notes: they stand outside the chains. */
export const subjectKinds = ["job", "agent", "host"] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** A move or a note before the store has numbered it. */
export interface EventDraft {
  readonly subjectKind: SubjectKind
  /** The name of the event in the subject's table; of the note otherwise. */
  readonly event: string
  /** Null for a creation and for a note. */
  readonly fromState: string | null
  /** Null for a note. */
  readonly toState: string | null
  /** From the closed vocabulary of the edge; never empty. */
  readonly transitionReason: string
  readonly errorCode: string | null
  /** `kind:id`, as in `host:3`, `operator:ana`, `agent:k3f9qx-17`; never empty. */
  readonly actor: string
  /** Epoch ms; never before the subject's previous event. */
  readonly occurredAt: number
  /** The agent's incarnation at the time; 0 where there was none. */
  readonly incarnation: number
  /** More about it, as JSON text; null where there is nothing to add. */
  readonly detail: string | null
}

export interface LifecycleEvent extends EventDraft {
  /** Position in the store's order of events, from 1. */
  readonly sequence: number
  readonly eventId: string
  /** Null only for a host's record. */
  readonly jobId: string | null
  /** Equal to the job's; null only for a host's record. */
  readonly correlationId: string | null
}

/** The event as the CLI and the API show it. */
export const LifecycleEventJson = Schema.Struct({
  event_id: Schema.String.annotate({ description: "The store's id and the sequence" }),
  sequence: Schema.Int.annotate({ description: "Position in the store's order of events, from 1" }),
  subject_kind: Schema.Literals(subjectKinds).annotate({
    description: "What moved; host records and late messages are notes outside the chains"
  }),
  subject_id: Schema.String,
  job_id: Schema.NullOr(Schema.String).annotate({ description: "Null only for a host's record" }),
  correlation_id: Schema.NullOr(Schema.String),
  event: Schema.String.annotate({
    description: "The event in the subject's table (muster machine), or the note's name"
  }),
  from_state: Schema.NullOr(Schema.String).annotate({ description: "Null for a creation and for a note" }),
  to_state: Schema.NullOr(Schema.String).annotate({ description: "Null for a note" }),
  transition_reason: Schema.String.annotate({ description: "From the closed vocabulary of the move" }),
  error_code: Schema.NullOr(Schema.String).annotate({ description: "Null where nothing failed" }),
  actor: Schema.String.annotate({ description: "kind:id, as in host:3, operator:ana, agent:k3f9qx-17" }),
  occurred_at: Schema.String.annotate({ description: "Never before the subject's previous event" }),
  incarnation: Schema.Int.annotate({ description: "The agent's life at the time; 0 where there was none" }),
  detail: Schema.Unknown.annotateKey({ description: "More about it; null where there is nothing to add" })
})
export type LifecycleEventJson = typeof LifecycleEventJson.Type
