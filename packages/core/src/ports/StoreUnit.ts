/**
 * One unit of work in the words of the domain, as rows, and what became of it.
 */
import { truncate } from "../domain/BoundedText.ts"
import { limits } from "../domain/Defaults.ts"
import { jobId } from "../domain/Job.ts"
import { JobMachine, type JobState } from "../domain/JobMachine.ts"
import type { EventDraft } from "../domain/LifecycleEvent.ts"
import { encodeEnvelope } from "../domain/messages/Envelope.ts"
import { boundedEnvelope, type DeadMessage } from "../domain/messages/Undeliverable.ts"
import type { Change, Settled } from "../domain/turn/Draft.ts"
import { encodeEvent, encodeState } from "./StoreCodec.ts"
import type { ChangeRow, CommitRows, CommittedRows, FenceRow, InsertRow } from "./StoreDriver.ts"
import type { BreakerRow, IntentDraftRow, JobOriginRow, MessageRow } from "./StoreRows.ts"

/** A job to be inserted in PENDING, with the event of its creation. */
export interface NewJob {
  readonly workflowType: string
  readonly idempotencyKey: string
  readonly payloadFingerprint: string
  /** JSON text. */
  readonly payload: string
  readonly priority: number
  readonly runAt: number
  readonly maxRetries: number
  /** Null: the job's own id. */
  readonly correlationId: string | null
  readonly traceContext: string | null
  readonly replayOf: number | null
  readonly actor: string
  /** More about its creation, as JSON text, for the event; null or left out: nothing. */
  readonly detail?: string | null
  /** Notes that follow on its creation, in the same unit; none by default. */
  readonly notes?: ReadonlyArray<EventDraft>
}

/** One unit of work, in the words of the domain. What is left out is empty. */
export interface Unit {
  readonly fence: FenceRow | null
  /** Epoch ms. */
  readonly at: number
  readonly inserts?: ReadonlyArray<NewJob>
  readonly changes?: Iterable<Change>
  readonly notes?: ReadonlyArray<EventDraft & { readonly seq: number | null }>
  readonly intents?: ReadonlyArray<IntentDraftRow>
  readonly settled?: ReadonlyArray<Settled>
  readonly bank?: string | null
  readonly breakers?: ReadonlyArray<BreakerRow>
  /** The count includes those that are not among the messages. */
  readonly undelivered?: { readonly count: number; readonly messages: ReadonlyArray<DeadMessage> } | null
}

/** What became of one insert. */
export type Inserted =
  | { readonly _tag: "Inserted"; readonly seq: number; readonly jobId: string }
  /** The key is taken: by the same payload, whose job answers; or by another one, which is a conflict. */
  | {
      readonly _tag: "Duplicate" | "Conflict"
      readonly seq: number
      readonly jobId: string
      readonly state: JobState
      /** Epoch ms. */
      readonly runAt: number
    }

export interface Committed {
  readonly inserted: ReadonlyArray<Inserted>
  readonly lost: ReadonlySet<number>
  readonly intents: ReadonlyArray<number>
  readonly sequence: number
}

const insertRow = (job: NewJob, at: number): InsertRow => {
  const origin: JobOriginRow = {
    workflow_type: job.workflowType,
    idempotency_key: job.idempotencyKey,
    payload_fingerprint: job.payloadFingerprint,
    priority: job.priority,
    created_at: at,
    max_retries: job.maxRetries,
    correlation_id: job.correlationId,
    trace_context: job.traceContext,
    replay_of: job.replayOf
  }
  const creation: EventDraft = {
    subjectKind: "job",
    event: JobMachine.creation.event,
    fromState: null,
    toState: JobMachine.initial,
    transitionReason: job.replayOf === null ? "submitted" : "replayed",
    errorCode: null,
    actor: job.actor,
    occurredAt: at,
    incarnation: 0,
    detail: job.detail ?? null
  }
  return {
    origin,
    run_at: job.runAt,
    payload: job.payload,
    events: [creation, ...(job.notes ?? [])].map(encodeEvent),
    supersedes: job.replayOf
  }
}

const changeRow = (change: Change): ChangeRow => ({
  seq: change.job.seq,
  version: change.version,
  contested: change.contested,
  state: encodeState(change.job),
  events: change.events.map(encodeEvent),
  retry:
    change.retry === null
      ? null
      : {
          attempt: change.retry.attempt,
          incarnation: change.retry.incarnation,
          error_code: change.retry.errorCode,
          burned: change.retry.burned ? 1 : 0,
          delay_ms: change.retry.delayMillis,
          next_at: change.retry.nextAt,
          at: change.retry.at,
          failure: change.retry.failure
        },
  letter:
    change.letter === null
      ? null
      : {
          final_state: change.letter.finalState,
          failure_error_code: change.letter.failureErrorCode,
          failure_summary: change.letter.failureSummary,
          quarantined_at: change.letter.quarantinedAt,
          replay_eligible: change.letter.replayEligible ? 1 : 0,
          raw: change.letter.raw ?? null,
          discarded_at: change.letter.discardedAt ?? null
        },
  markers: change.markers,
  result: change.result
})

const messageRow = ({ at, envelope, reason }: DeadMessage): MessageRow => ({
  message_id: envelope.messageId,
  producer_agent: envelope.producerAgent,
  consumer_agent: envelope.consumerAgent,
  message_type: envelope.messageType,
  reason,
  at,
  envelope: boundedEnvelope(encodeEnvelope(envelope))
})

const undeliveredRows = (undelivered: Unit["undelivered"]): CommitRows["undelivered"] =>
  undelivered === undefined || undelivered === null
    ? null
    : { count: undelivered.count, rows: undelivered.messages.map(messageRow) }

/** The unit as a driver takes it. */
export const unitRows = (unit: Unit): CommitRows => ({
  fence: unit.fence,
  at: unit.at,
  inserts: (unit.inserts ?? []).map((job) => insertRow(job, unit.at)),
  changes: Array.from(unit.changes ?? [], changeRow),
  notes: (unit.notes ?? []).map((note) => Object.assign(encodeEvent(note), { job: note.seq })),
  // Whoever asks, what they say has a limit (R36).
  intents: (unit.intents ?? []).map((intent) =>
    Object.assign({}, intent, { reason: truncate(intent.reason, limits.reasonBytes) })
  ),
  settled: unit.settled ?? [],
  bank: unit.bank ?? null,
  breakers: unit.breakers ?? [],
  undelivered: undeliveredRows(unit.undelivered)
})

/** A driver's answer to the unit. */
export const committed = (storeId: string, unit: Unit, answer: CommittedRows): Committed => {
  const inserted = answer.inserted.map((row, index): Inserted => {
    const key = { seq: row.seq, jobId: jobId(storeId, row.seq) }
    if (!row.duplicate) return { _tag: "Inserted", ...key }
    const same = row.payload_fingerprint === unit.inserts?.[index]?.payloadFingerprint
    // Drivers keep states under CHECKs that are generated from this table.
    const state = row.state as JobState
    return { _tag: same ? "Duplicate" : "Conflict", ...key, state, runAt: row.run_at }
  })
  return { inserted, lost: new Set(answer.lost), intents: answer.intents, sequence: answer.sequence }
}
