/**
 * The store's driver with fault points: around each operation by which a host lives, and around, inside and after each commit by what it
 * brings about. Inside means that all of its rows are written and COMMIT is not said; unanswered, that it is done and nobody knows yet.
 */
import { StatementSync } from "node:sqlite"
import type { StoreDriver } from "@muster/core"
import { Effect } from "effect"
import { type CommitName, namesOf } from "./CommitNames.ts"
import { around, pass, say } from "./FaultPoints.ts"

/** What the commit at hand brings about; only one is at hand at a time. */
let atHand: ReadonlySet<CommitName> = new Set()

const passAll = (where: string): void => {
  for (const name of atHand) pass(`commit.${name}:${where}`)
}

/** Lets the points inside a transaction be passed: SQLite's own COMMIT has no hook in the driver. */
const watchStatements = (): void => {
  // oxlint-disable-next-line typescript/unbound-method -- it is applied to the statement that it is called on
  const { run } = StatementSync.prototype
  StatementSync.prototype.run = function (this: StatementSync, ...values: Parameters<typeof run>) {
    const isCommit = this.sourceSQL === "COMMIT"
    if (isCommit) passAll("inside")
    const done = run.apply(this, values)
    if (isCommit) passAll("unanswered")
    return done
    // The overloads differ in their first value alone, which is handed on as it came.
  } as typeof run
}

/** Wraps a driver. The first dispatch is told with its time. */
export const make = (driver: StoreDriver): StoreDriver => {
  watchStatements()
  let isFirst = true
  return {
    ...driver,
    enlist: (request) => around("enlist", driver.enlist(request)),
    renew: (request) => around("renew", driver.renew(request)),
    fence: (request) => around(`fence.${request.as}`, driver.fence(request)),
    agents: (query) =>
      query.by === "orphaned" ? around("orphans", driver.agents(query)) : driver.agents(query),
    commit: (unit) =>
      Effect.suspend(() => {
        const names = namesOf(unit)
        const commit = Effect.suspend(() => {
          atHand = names
          passAll("before")
          return Effect.ensuring(
            driver.commit(unit),
            Effect.sync(() => {
              atHand = new Set()
            })
          )
        })
        return Effect.tap(commit, () =>
          Effect.sync(() => {
            if (isFirst && (names.has("dispatched") || names.has("recovered"))) {
              isFirst = false
              say({ at: "dispatched", millis: performance.now() })
            }
            for (const name of names) pass(`commit.${name}:after`)
          })
        )
      })
  }
}
