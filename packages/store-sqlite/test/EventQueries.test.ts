// Records of hosts: few among many events, and found without a look at those of jobs.
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { pageRows } from "../src/EventQueries.ts"
import { storePath } from "./child/StoreFixture.ts"

describe("records of hosts", () => {
  for (const order of ["ascending", "descending"] as const)
    it.effect(`are found by their own index, without sorting, in ${order} order`, () =>
      Effect.gen(function* () {
        const filename = yield* storePath
        yield* SqliteStore.makeDriver({ filename })
        const db = new DatabaseSync(filename)
        const plan = db
          .prepare(`EXPLAIN QUERY PLAN ${pageRows(order, true)}`)
          .all(1, 10)
          .map((row) => String(row["detail"]))
          .join("\n")
        db.close()
        assert.include(plan, "SEARCH e USING INDEX event_of_host (job=?")
        assert.notInclude(plan, "TEMP B-TREE")
        assert.notInclude(plan, "SCAN e")
      }).pipe(Effect.scoped)
    )
})
