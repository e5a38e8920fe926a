/**
 * A fake store around a real one: it loses calls, or their answers, and freezes, as a test says. What it isn't told to spoil goes through.
 */
import { Deferred, Effect } from "effect"
import { StoreBroken, StoreBusy, StoreStale } from "../domain/errors/StoreErrors.ts"
import type { CommitRows, RecordRow, StoreDriver, StoreFailure } from "../ports/StoreDriver.ts"
import type { JobWithBodiesRow, VocabularyRow } from "../ports/StoreRows.ts"

/** An operation of the contract that a fleet calls more than once. */
export type StoreOperation = Exclude<keyof StoreDriver, "open">

const detail = "as the test has planned"

const failures = {
  busy: (operation: string) => new StoreBusy({ operation, detail }),
  broken: (operation: string) => new StoreBroken({ operation, detail }),
  /** A row breaks a constraint. */
  refused: (operation: string) => new StoreBroken({ operation, detail, refused: true }),
  /** For `commit` alone: a row has moved. */
  stale: (operation: string) => new StoreStale({ operation, detail }),
  /** A bug of the driver: no failure of the contract, but a defect. */
  defect: (operation: string) => new Error(`a defect in ${operation}, ${detail}`)
}

/** What goes wrong with one call of an operation, or with several. */
export interface Fault {
  /** `commit` unless set. */
  readonly operation?: StoreOperation
  /** Which call, counted from now; 1, the next one, unless set. */
  readonly nth?: number
  /** How many calls from that one on; 1 unless set. */
  readonly times?: number
  /** What the call fails with; left out for one that is only late. */
  readonly error?: keyof typeof failures
  /** Whether it fails before it has done anything (unless set) or after it took effect: then its answer is lost. */
  readonly when?: "before" | "after"
  /** Only commits that are so; left out: any. */
  readonly of?: (unit: CommitRows) => boolean
  /** The call waits here, at its `when`, until the test releases the gate. */
  readonly gate?: string
}

export interface FaultyStore {
  readonly driver: StoreDriver
  /** Plans a fault. Faults of one call happen in the order planned; the first that fails it ends it. */
  readonly inject: (fault: Fault) => void
  /** How often the operation was called. */
  readonly calls: (operation: StoreOperation) => number
  /** Waits until the operation was called so often. */
  readonly called: (operation: StoreOperation, count: number) => Effect.Effect<void>
  readonly release: (gate: string) => Effect.Effect<void>
  /** From now on no call goes in: each waits until `thaw`, as for a process that is stopped. */
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
  /** From now on rows of jobs are read as `hurt` makes them; what is written stays as it is. */
  readonly damage: (hurt: (row: JobWithBodiesRow) => JobWithBodiesRow) => void
  /** From now on the store says of its words what `twist` makes of each: null leaves one out. */
  readonly mislead: (twist: (row: VocabularyRow) => VocabularyRow | null) => void
  /** The most changes, and the most inserts, that one commit has held. */
  readonly largest: () => { readonly changes: number; readonly inserts: number }
}

interface Planned {
  readonly fault: Fault
  readonly from: number
  readonly to: number
}

const unhurt = (row: JobWithBodiesRow): JobWithBodiesRow => row

const untwisted = (row: VocabularyRow): VocabularyRow | null => row

const twisted = (
  record: RecordRow,
  twist: (row: VocabularyRow) => VocabularyRow | null
): Array<RecordRow> => {
  if (record.kind !== "vocabulary") return [record]
  const row = twist(record.row)
  return row === null ? [] : [{ ...record, row }]
}

/** Wraps a driver. */
export const make = (driver: StoreDriver): FaultyStore => {
  const counts = new Map<StoreOperation, number>()
  const planned: Array<Planned> = []
  const gates = new Map<string, Deferred.Deferred<void>>()
  const waiting = new Set<{
    readonly operation: StoreOperation
    readonly count: number
    readonly met: Deferred.Deferred<void>
  }>()
  let ice: Deferred.Deferred<void> | null = null
  let hurt = unhurt
  let twist = untwisted
  const largest = { changes: 0, inserts: 0 }

  const calls = (operation: StoreOperation): number => counts.get(operation) ?? 0
  const gateOf = (gate: string): Deferred.Deferred<void> => {
    const made = gates.get(gate) ?? Deferred.makeUnsafe<void>()
    gates.set(gate, made)
    return made
  }
  const count = (operation: StoreOperation): number => {
    const now = calls(operation) + 1
    counts.set(operation, now)
    for (const one of waiting) {
      if (one.operation !== operation || one.count > now) continue
      waiting.delete(one)
      Deferred.doneUnsafe(one.met, Effect.void)
    }
    return now
  }
  const spoil = (operation: StoreOperation, { error, gate }: Fault): Effect.Effect<void, StoreFailure> => {
    const failed =
      error === undefined
        ? Effect.void
        : error === "defect"
          ? Effect.die(failures.defect(operation))
          : // Only a commit may be stale, and what awaits one is ready for it.
            Effect.fail(failures[error](operation) as StoreFailure)
    return gate === undefined ? failed : Effect.andThen(Deferred.await(gateOf(gate)), failed)
  }

  const around = <A, E>(
    operation: StoreOperation,
    call: Effect.Effect<A, E>,
    unit: CommitRows | null = null
  ): Effect.Effect<A, E | StoreFailure> =>
    Effect.gen(function* () {
      const number = count(operation)
      if (ice !== null) yield* Deferred.await(ice)
      const mine = planned.filter(
        ({ fault, from, to }) =>
          (fault.operation ?? "commit") === operation &&
          from <= number &&
          number <= to &&
          (fault.of === undefined || (unit !== null && fault.of(unit)))
      )
      for (const { fault } of mine) if (fault.when !== "after") yield* spoil(operation, fault)
      const answer = yield* call
      for (const { fault } of mine) if (fault.when === "after") yield* spoil(operation, fault)
      return answer
    })

  return {
    driver: {
      open: driver.open,
      enlist: (request) => around("enlist", driver.enlist(request)),
      renew: (request) => around("renew", driver.renew(request)),
      fence: (request) => around("fence", driver.fence(request)),
      commit: (unit) => {
        largest.changes = Math.max(largest.changes, unit.changes.length)
        largest.inserts = Math.max(largest.inserts, unit.inserts.length)
        return around("commit", driver.commit(unit), unit)
      },
      jobs: (query) =>
        Effect.map(around("jobs", driver.jobs(query)), ({ next_due, rows }) => ({
          rows: rows.map(hurt),
          next_due
        })),
      agents: (query) => Effect.map(around("agents", driver.agents(query)), (rows) => rows.map(hurt)),
      events: (query) => around("events", driver.events(query)),
      records: (query) =>
        Effect.map(around("records", driver.records(query)), (records) =>
          records.flatMap((record) => twisted(record, twist))
        ),
      tally: (request) => around("tally", driver.tally(request)),
      changed: around("changed", driver.changed),
      prune: (request) => around("prune", driver.prune(request))
    },
    inject: (fault) => {
      const from = calls(fault.operation ?? "commit") + (fault.nth ?? 1)
      planned.push({ fault, from, to: from + (fault.times ?? 1) - 1 })
    },
    damage: (given) => {
      hurt = given
    },
    mislead: (given) => {
      twist = given
    },
    largest: () => largest,
    calls,
    called: (operation, wanted) =>
      Effect.suspend(() => {
        if (calls(operation) >= wanted) return Effect.void
        const met = Deferred.makeUnsafe<void>()
        waiting.add({ operation, count: wanted, met })
        // The call goes on first: who waits for it is not to run in its middle.
        return Effect.andThen(Deferred.await(met), Effect.yieldNow)
      }),
    release: (gate) => Effect.asVoid(Deferred.succeed(gateOf(gate), undefined)),
    freeze: Effect.sync(() => {
      ice ??= Deferred.makeUnsafe<void>()
    }),
    thaw: Effect.suspend(() => {
      const melting = ice
      ice = null
      return melting === null ? Effect.void : Effect.asVoid(Deferred.succeed(melting, undefined))
    })
  }
}
