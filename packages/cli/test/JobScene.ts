// A store with a job in each of the states that people ask about.
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { storeFolder } from "./CommandLine.ts"
import { enlist } from "./HandMadeHost.ts"

/** Job 1 done, 2 dead after two tries, 3 at work, 4 waiting for its retry, 5 and 6 pending, the last one for a year. */
export const scene = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  for (const n of [1, 2, 3, 4, 5]) yield* type(["submit", "-w", "count", `{"n":${n}}`])
  yield* type(["submit", "-w", "later", "--run-at", "1971-01-01T00:00:00Z", '{"n":6}'])
  yield* Effect.gen(function* () {
    const host = yield* enlist
    yield* host.take(1)
    yield* host.land(1, { total: 7 })
    yield* host.take(2)
    yield* host.fail(2, "EXT_AWAY", "not \u001B[31mnow")
    yield* TestClock.adjust("2 seconds")
    yield* host.take(2)
    yield* host.fail(2, "DQ_BAD", "never")
    yield* host.take(3)
    yield* host.take(4)
    yield* host.fail(4, "EXT_AWAY", "not now")
    yield* host.renew
  }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  return { file, type }
})
