/**
 * The Store in one SQLite file. A driver moves encoded rows and nothing else; ids, codecs and spans come from `Store.fromDriver`.
 */
import {
  type HostFenced,
  Store,
  type StoreBroken,
  type StoreDriver,
  type StoreFailure,
  type StoreVersion
} from "@muster/core"
import { Effect, Exit, type Layer, type Scope, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import { agents } from "./AgentQueries.ts"
import { commit } from "./Commit.ts"
import { connect, waitAtMost, type SqliteStoreOptions } from "./Connection.ts"
import { copyStore } from "./Copy.ts"
import { events } from "./EventQueries.ts"
import { enlist, fence, renew } from "./Hosts.ts"
import { jobs } from "./JobQueries.ts"
import { migrate, unchanged, unchangedFor } from "./Migrations.ts"
import { Names } from "./Names.ts"
import { records } from "./RecordQueries.ts"
import { prune } from "./Retention.ts"
import { dataVersion, RowsInHand } from "./RowsInHand.ts"
import { ask, type Connection } from "./Statements.ts"
import { answering } from "./StoreFailures.ts"
import { tally } from "./Tally.ts"

/** Statements without spans: the contract's operations have theirs, and one a statement would cost more than the statement. */
const quiet = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.withTracerEnabled(effect, false)

const identity = (connection: Connection, name: string) =>
  Effect.flatMap(ask<{ readonly id: string }>(connection, `SELECT id FROM store`), ([store]) =>
    store === undefined
      ? Effect.die("the store has no row of its own")
      : Effect.succeed({ id: store.id, name })
  )

/** A driver on a connection of its own, which is closed with the scope. */
export const makeDriver = Effect.fnUntraced(function* (options: SqliteStoreOptions) {
  const database = yield* connect(options)
  const { connection } = database
  const names = new Names()
  const inHand = new RowsInHand()
  /** Whoever has it has the connection, and what this driver remembers of the tables. */
  const turn = yield* Semaphore.make(1)

  /** An operation, alone on the connection. */
  const reading = <A, E, R>(operation: string, effect: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    quiet(turn.withPermit(answering(operation)(effect)))

  /** An operation in a transaction of its own. `settle` hears how it ended before anyone else has the connection. */
  const writing = <A, E, R>(
    operation: string,
    effect: Effect.Effect<A, E | SqlError.SqlError, R>,
    settle: (exit: Exit.Exit<A, unknown>) => void = () => {}
  ) =>
    reading(
      operation,
      Effect.onExit(database.transaction(effect), (exit) => Effect.sync(() => settle(exit)))
    )

  yield* quiet(migrate(database, options.filename))
  yield* quiet(waitAtMost(connection, options.busyTimeout ?? 20))

  const driver: StoreDriver = {
    open: reading("open", identity(connection, options.filename)),
    enlist: (request) =>
      writing("enlist", Effect.andThen(unchanged(connection, "enlist"), enlist(connection, request))),
    renew: (request) =>
      writing("renew", Effect.andThen(unchangedFor(connection, request), renew(connection, request))),
    fence: (request) =>
      writing("fence", Effect.andThen(unchanged(connection, "fence"), fence(connection, request))),
    commit: (unit) => {
      const known: Effect.Effect<void, SqlError.SqlError | StoreBroken | HostFenced> =
        unit.fence === null ? unchanged(connection, "commit") : unchangedFor(connection, unit.fence)
      return Effect.map(
        writing("commit", Effect.andThen(known, commit(connection, names, inHand, unit)), (exit) => {
          names.settle(Exit.isSuccess(exit))
          if (Exit.isSuccess(exit)) inHand.written(exit.value.plan)
          else inHand.letGo()
        }),
        ({ committed }) => committed
      )
    },
    jobs: (query) => reading("jobs", jobs(connection, inHand, query)),
    agents: (query) => reading("agents", agents(connection, query)),
    events: (query) => reading("events", events(connection, query)),
    records: (query) => reading("records", records(connection, query)),
    tally: ({ now }) => reading("tally", tally(connection, now)),
    changed: reading("changed", dataVersion(connection)),
    prune: (request) =>
      request.dry_run === true
        ? reading("prune", prune(connection, request))
        : writing("prune", Effect.andThen(unchanged(connection, "prune"), prune(connection, request)), () =>
            inHand.letGo()
          )
  }
  return driver
}, answering("open")) satisfies (
  options: SqliteStoreOptions
) => Effect.Effect<StoreDriver, StoreFailure | StoreVersion, Scope.Scope>

/** Fills the seat of the store from a file. */
export const layer = (options: SqliteStoreOptions): Layer.Layer<Store, StoreFailure | StoreVersion> =>
  Store.layerFromDriver(makeDriver(options))

/**
 * Copies a store while hosts work on it, into a file that is not there yet, and answers the copy's bytes: what was committed when it began is
 * in it, whole. A host must not be started on a copy while hosts of the original run on the same machine: both know their processes by the
 * store's id.
 */
export const backup = (filename: string, target: string): Effect.Effect<number, StoreBroken> =>
  copyStore(filename, target, "refuse")

export { inspect, type Inspection, type InspectionOptions } from "./Inspection.ts"

/** Gives room that was freed back to the disk. Nobody else can write meanwhile, and the disk needs room for a second copy. */
export const vacuum = (filename: string): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function* () {
    const { connection } = yield* connect({ filename, busyTimeout: 5000 })
    yield* ask(connection, `VACUUM`)
    yield* ask(connection, `PRAGMA wal_checkpoint(TRUNCATE)`)
  }).pipe(answering("vacuum"), Effect.scoped)
