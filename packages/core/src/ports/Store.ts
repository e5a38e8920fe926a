/**
 * The seat of the store: what the fleet and the command line know of it. A driver moves encoded rows (StoreDriver.ts); `fromDriver` lifts it
 * once: ids, codecs, invariants and spans are added here and nowhere else.
 */
import { Context, Effect, type Layer, Layer as Layers, Result, type Scope } from "effect"
import type { HostFenced } from "../domain/errors/HostErrors.ts"
import { JobNotFound } from "../domain/errors/LifecycleErrors.ts"
import type { StoreBroken, StoreStale } from "../domain/errors/StoreErrors.ts"
import { type Job, jobId, seqOf } from "../domain/Job.ts"
import { JobMachine, type JobState } from "../domain/JobMachine.ts"
import type { EventDraft, LifecycleEvent } from "../domain/LifecycleEvent.ts"
import type { Change } from "../domain/turn/Draft.ts"
import { decodeEvent, decodeJob, encodeEvent, encodeState } from "./StoreCodec.ts"
import type {
  AgentsQuery,
  ChangeRow,
  EventsQuery,
  FenceRow,
  InsertRow,
  JobsQuery,
  RecordRow,
  RecordsQuery,
  StoreDriver,
  StoreFailure,
  TallyRows
} from "./StoreDriver.ts"
import type { BreakerRow, HostRow, IntentDraftRow, JobOriginRow, JobWithBodiesRow } from "./StoreRows.ts"

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
  readonly settled?: ReadonlyArray<{ readonly intent: number; readonly outcome: string }>
  readonly bank?: string | null
  readonly breakers?: ReadonlyArray<BreakerRow>
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

/** A job with what lives apart from its row; null: not there or not asked for. */
export interface StoredJob {
  readonly job: Job
  /** JSON text. */
  readonly payload: string | null
  /** JSON text. */
  readonly result: string | null
}

export interface StoreService {
  /** The store's own short id, the head of every job's and event's id. */
  readonly id: string
  /** For people: a path. */
  readonly name: string
  readonly enlist: (identity: string, at: number) => Effect.Effect<HostRow, StoreFailure>
  readonly renew: StoreDriver["renew"]
  readonly fence: StoreDriver["fence"]
  readonly commit: (unit: Unit) => Effect.Effect<Committed, StoreFailure | StoreStale | HostFenced>
  /** The peek, and when the next one pays off (null: nothing waits). */
  readonly ready: (
    workflows: ReadonlyArray<string>,
    now: number,
    limit: number
  ) => Effect.Effect<
    { readonly jobs: ReadonlyArray<StoredJob>; readonly nextDue: number | null },
    StoreFailure
  >
  /** The job of an id as people type it, with its bodies. */
  readonly job: (id: string) => Effect.Effect<StoredJob, StoreFailure | JobNotFound>
  readonly jobs: (
    query: Exclude<JobsQuery, { readonly by: "ready" }>
  ) => Effect.Effect<ReadonlyArray<StoredJob>, StoreFailure>
  readonly agents: (query: AgentsQuery) => Effect.Effect<ReadonlyArray<Job>, StoreFailure>
  readonly events: (query: EventsQuery) => Effect.Effect<ReadonlyArray<LifecycleEvent>, StoreFailure>
  readonly records: <Kind extends RecordsQuery["kind"]>(
    query: RecordsQuery & { readonly kind: Kind }
  ) => Effect.Effect<ReadonlyArray<Extract<RecordRow, { readonly kind: Kind }>>, StoreFailure>
  readonly tally: (now: number) => Effect.Effect<TallyRows, StoreFailure>
  readonly changed: StoreDriver["changed"]
  readonly prune: StoreDriver["prune"]
}

export class Store extends Context.Service<Store, StoreService>()("@muster/core/ports/Store") {
  /** A layer that fills the seat from a scoped driver. */
  static layerFromDriver<E, R>(
    driver: Effect.Effect<StoreDriver, E, R>
  ): Layer.Layer<Store, E | StoreFailure, Exclude<R, Scope.Scope>> {
    return Layers.effect(Store, Effect.flatMap(driver, fromDriver))
  }
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

/** Lifts a driver: opens it, and gives its rows the domain's shape. */
export const fromDriver = Effect.fnUntraced(function* (driver: StoreDriver) {
  const { id, name } = yield* driver.open

  const stored = (row: JobWithBodiesRow): Effect.Effect<StoredJob, StoreBroken> =>
    Effect.fromResult(
      Result.map(decodeJob(id, row), (job) => ({ job, payload: row.payload, result: row.result }))
    )
  const jobs = Effect.fnUntraced(function* (query: JobsQuery) {
    const { next_due, rows } = yield* driver.jobs(query)
    return { jobs: yield* Effect.forEach(rows, stored), nextDue: next_due }
  })

  const commit = Effect.fn("Store.commit")(function* (unit: Unit) {
    const inserts = unit.inserts ?? []
    const answer = yield* driver.commit({
      fence: unit.fence,
      at: unit.at,
      inserts: inserts.map((job) => insertRow(job, unit.at)),
      changes: Array.from(unit.changes ?? [], changeRow),
      notes: (unit.notes ?? []).map((note) => Object.assign(encodeEvent(note), { job: note.seq })),
      intents: unit.intents ?? [],
      settled: unit.settled ?? [],
      bank: unit.bank ?? null,
      breakers: unit.breakers ?? []
    })
    const inserted = answer.inserted.map((row, index): Inserted => {
      const key = { seq: row.seq, jobId: jobId(id, row.seq) }
      if (!row.duplicate) return { _tag: "Inserted", ...key }
      const same = row.payload_fingerprint === inserts[index]?.payloadFingerprint
      // Drivers keep states under CHECKs that are generated from this table.
      const state = row.state as JobState
      return { _tag: same ? "Duplicate" : "Conflict", ...key, state, runAt: row.run_at }
    })
    return { inserted, lost: new Set(answer.lost), intents: answer.intents, sequence: answer.sequence }
  })

  const service: StoreService = {
    id,
    name,
    enlist: Effect.fn("Store.enlist")((identity: string, at: number) => driver.enlist({ identity, at })),
    renew: Effect.fn("Store.renew")(driver.renew),
    fence: Effect.fn("Store.fence")(driver.fence),
    commit,
    ready: (workflows, now, limit) => jobs({ by: "ready", workflows, now, limit }),
    job: Effect.fn("Store.job")(function* (typed: string) {
      const seq = seqOf(id, typed)
      const found = seq === undefined ? [] : (yield* jobs({ by: "seq", seqs: [seq], bodies: true })).jobs
      const [job] = found
      return job === undefined ? yield* new JobNotFound({ jobId: typed }) : job
    }),
    jobs: Effect.fn("Store.jobs")(function* (query: JobsQuery) {
      return (yield* jobs(query)).jobs
    }),
    agents: Effect.fn("Store.agents")(function* (query: AgentsQuery) {
      return (yield* Effect.forEach(yield* driver.agents(query), stored)).map(({ job }) => job)
    }),
    events: Effect.fn("Store.events")(function* (query: EventsQuery) {
      return (yield* driver.events(query)).map((row) => decodeEvent(id, row))
    }),
    records: Effect.fn("Store.records")(function* <Kind extends RecordsQuery["kind"]>(
      query: RecordsQuery & { readonly kind: Kind }
    ) {
      const rows = yield* driver.records(query)
      // A driver answers a query with rows of the kind that it names; the suite holds it to that.
      return rows as ReadonlyArray<Extract<RecordRow, { readonly kind: Kind }>>
    }),
    tally: Effect.fn("Store.tally")((now: number) => driver.tally({ now })),
    changed: driver.changed,
    prune: Effect.fn("Store.prune")(driver.prune)
  }
  return service
})
