/**
 * The Store in one SQLite file. A driver moves encoded rows and nothing else; ids, codecs and spans come from `Store.fromDriver`.
 */
import { Store, type StoreDriver, type StoreFailure } from "@muster/core"
import { Effect, type Layer, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { agents } from "./AgentQueries.ts"
import { commit } from "./Commit.ts"
import { connect, type SqliteStoreOptions } from "./Connection.ts"
import { events } from "./EventQueries.ts"
import { enlist, fence, renew } from "./Hosts.ts"
import { jobs } from "./JobQueries.ts"
import { migrate } from "./Migrations.ts"
import { Names } from "./Names.ts"
import { records } from "./RecordQueries.ts"
import { prune } from "./Retention.ts"
import { dataVersion, RowsInHand } from "./RowsInHand.ts"
import { transaction } from "./Statements.ts"
import { answering } from "./StoreFailures.ts"
import { tally } from "./Tally.ts"

/** Statements without spans: the contract's operations have theirs, and one a statement would cost more than the statement. */
const quiet = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.withTracerEnabled(effect, false)

/** A driver on a connection of its own, which is closed with the scope. */
export const makeDriver = Effect.fnUntraced(function* (options: SqliteStoreOptions) {
  const sql = yield* connect(options)
  const names = new Names()
  const inHand = new RowsInHand()

  /** A read: what it sees may be older than its answer, and a commit will tell. */
  const reading = <A, E, R>(operation: string, effect: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    quiet(answering(operation)(effect))

  const writing = <A, E, R>(operation: string, effect: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    quiet(answering(operation)(transaction(sql, effect)))

  yield* quiet(migrate(sql, options.filename))

  const driver: StoreDriver = {
    open: reading(
      "open",
      Effect.flatMap(sql.unsafe<{ readonly id: string }>(`SELECT id FROM store`), ([store]) =>
        store === undefined
          ? Effect.die("the store has no row of its own")
          : Effect.succeed({ id: store.id, name: options.filename })
      )
    ),
    enlist: (request) => writing("enlist", enlist(sql, request)),
    renew: (request) => writing("renew", renew(sql, request)),
    fence: (request) => writing("fence", fence(sql, request)),
    commit: (unit) =>
      writing("commit", commit(sql, names, inHand, unit)).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            names.settle(exit._tag === "Success")
            if (exit._tag === "Success") inHand.written(exit.value.plan)
          })
        ),
        Effect.map(({ committed }) => committed)
      ),
    jobs: (query) => reading("jobs", jobs(sql, inHand, query)),
    agents: (query) => reading("agents", agents(sql, query)),
    events: (query) => reading("events", events(sql, query)),
    records: (query) => reading("records", records(sql, query)),
    tally: ({ now }) => reading("tally", tally(sql, now)),
    changed: reading("changed", dataVersion(sql)),
    prune: (request) =>
      Effect.ensuring(
        writing("prune", prune(sql, request)),
        Effect.sync(() => inHand.letGo())
      )
  }
  return driver
}, answering("open")) satisfies (
  options: SqliteStoreOptions
) => Effect.Effect<StoreDriver, StoreFailure, Scope.Scope>

/** Fills the seat of the store from a file. */
export const layer = (options: SqliteStoreOptions): Layer.Layer<Store, StoreFailure> =>
  Store.layerFromDriver(makeDriver(options))
