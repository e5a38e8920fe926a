/**
 * The seat of the store: what the fleet and the command line know of it. A driver moves encoded rows (StoreDriver.ts); `fromDriver` lifts it
 * once: ids, codecs, invariants and spans are added here and nowhere else.
 */
import { Context, Effect, type Layer, Layer as Layers, Result, type Scope } from "effect"
import type { HostFenced } from "../domain/errors/HostErrors.ts"
import { JobNotFound } from "../domain/errors/LifecycleErrors.ts"
import { StoreBroken, type StoreStale } from "../domain/errors/StoreErrors.ts"
import { type Job, seqOf } from "../domain/Job.ts"
import type { LifecycleEvent } from "../domain/LifecycleEvent.ts"
import type { DamagedJob } from "../domain/turn/damaged.ts"
import { decodeEvent, decodeJob, salvageJob } from "./StoreCodec.ts"
import type {
  AgentsQuery,
  EventsQuery,
  JobsQuery,
  RecordRow,
  RecordsQuery,
  StoreDriver,
  StoreFailure
} from "./StoreDriver.ts"
import { unlawful } from "./StoreMoves.ts"
import type { HostRow, JobWithBodiesRow, TallyRows } from "./StoreRows.ts"
import { type Committed, committed, type Unit, unitRows } from "./StoreUnit.ts"

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
  /** The peek, and when the next one pays off (null: nothing waits). A row that can't be decoded stands in nobody's way (R18). */
  readonly ready: (
    workflows: ReadonlyArray<string>,
    now: number,
    limit: number
  ) => Effect.Effect<
    {
      readonly jobs: ReadonlyArray<StoredJob>
      readonly damaged: ReadonlyArray<DamagedJob>
      readonly nextDue: number | null
    },
    StoreFailure
  >
  /** A page of what adoption looks for, from cursor `after` (0: from the start); `next`: the next page's, null for none. */
  readonly orphans: (
    after: number,
    limit: number
  ) => Effect.Effect<
    {
      readonly jobs: ReadonlyArray<Job>
      readonly damaged: ReadonlyArray<DamagedJob>
      readonly next: number | null
    },
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

/** A host makes hundreds of these calls a second: only who wants spans of level Debug keeps them. */
const quiet = { level: "Debug" } as const

/** Lifts a driver: opens it, and gives its rows the domain's shape. */
export const fromDriver = Effect.fnUntraced(function* (driver: StoreDriver) {
  const { id, name } = yield* driver.open

  const stored = (row: JobWithBodiesRow): Effect.Effect<StoredJob, StoreBroken> =>
    Effect.fromResult(
      Result.map(decodeJob(id, row), (job) => ({ job, payload: row.payload, result: row.result }))
    )
  const jobs = Effect.fnUntraced(function* (query: JobsQuery) {
    const { rows } = yield* driver.jobs(query)
    return yield* Effect.forEach(rows, stored)
  })
  /** Those rows that can be decoded, and those that can't. */
  const sorted = (rows: ReadonlyArray<JobWithBodiesRow>) => {
    const sound: Array<StoredJob> = []
    const damaged: Array<DamagedJob> = []
    for (const row of rows) {
      const decoded = decodeJob(id, row)
      if (Result.isSuccess(decoded))
        sound.push({ job: decoded.success, payload: row.payload, result: row.result })
      else damaged.push(salvageJob(id, row, decoded.failure.detail))
    }
    return { jobs: sound, damaged }
  }

  const commit = Effect.fn(
    "Store.commit",
    quiet
  )(function* (asked: Unit) {
    // Looked through twice, and who asks may give what can be read once.
    const unit = { ...asked, changes: [...(asked.changes ?? [])] }
    const detail = unlawful(unit)
    if (detail !== null) return yield* new StoreBroken({ operation: "commit", detail, refused: true })
    return committed(id, unit, yield* driver.commit(unitRows(unit)))
  })

  const service: StoreService = {
    id,
    name,
    enlist: Effect.fn(
      "Store.enlist",
      quiet
    )((identity: string, at: number) => driver.enlist({ identity, at })),
    renew: Effect.fn("Store.renew", quiet)(driver.renew),
    fence: Effect.fn("Store.fence", quiet)(driver.fence),
    commit,
    ready: Effect.fnUntraced(function* (workflows: ReadonlyArray<string>, now: number, limit: number) {
      const { next_due, rows } = yield* driver.jobs({ by: "ready", workflows, now, limit })
      return { ...sorted(rows), nextDue: next_due }
    }),
    orphans: Effect.fn(
      "Store.orphans",
      quiet
    )(function* (after: number, limit: number) {
      const rows = yield* driver.agents({ by: "orphaned", after, limit })
      const found = sorted(rows)
      const next = rows.length < limit ? null : (rows.at(-1)?.seq ?? null)
      return { jobs: found.jobs.map(({ job }) => job), damaged: found.damaged, next }
    }),
    job: Effect.fn(
      "Store.job",
      quiet
    )(function* (typed: string) {
      const seq = seqOf(id, typed)
      const found = seq === undefined ? [] : yield* jobs({ by: "seq", seqs: [seq], bodies: true })
      const [job] = found
      return job === undefined ? yield* new JobNotFound({ jobId: typed }) : job
    }),
    jobs: Effect.fn("Store.jobs", quiet)(jobs),
    agents: Effect.fn(
      "Store.agents",
      quiet
    )(function* (query: AgentsQuery) {
      return (yield* Effect.forEach(yield* driver.agents(query), stored)).map(({ job }) => job)
    }),
    events: Effect.fn(
      "Store.events",
      quiet
    )(function* (query: EventsQuery) {
      return (yield* driver.events(query)).map((row) => decodeEvent(id, row))
    }),
    records: Effect.fn(
      "Store.records",
      quiet
    )(function* <Kind extends RecordsQuery["kind"]>(query: RecordsQuery & { readonly kind: Kind }) {
      const rows = yield* driver.records(query)
      // A driver answers a query with rows of the kind that it names; the suite holds it to that.
      return rows as ReadonlyArray<Extract<RecordRow, { readonly kind: Kind }>>
    }),
    tally: Effect.fn("Store.tally", quiet)((now: number) => driver.tally({ now })),
    changed: driver.changed,
    prune: Effect.fn("Store.prune", quiet)(driver.prune)
  }
  return service
})
