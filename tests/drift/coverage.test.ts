// The run that visits every state and every transition: a real fleet on a real SQLite file. Only after such a run is a state that was
// never seen a drift; after any other it is a fleet that has not failed yet.
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import {
  declaredWords,
  driftLine,
  ErrorCatalogue,
  readVocabulary,
  storeDrifts,
  unseenDrifts,
  Workflow,
  type Workspaces
} from "@muster/core"
import { Fleet } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Data, Effect, Layer, Schema, Stream } from "effect"
import { storePath } from "./StoreUnderDrift.ts"

class Down extends Data.TaggedError("EXT_DOWN")<object> {}
class NoRows extends Data.TaggedError("DQ_NO_ROWS")<object> {}

/** Its payload says what becomes of a job. */
const fates = Workflow.make("fates", {
  payload: Schema.Literals(["well", "once", "waits", "never", "badly"]),
  result: Schema.String,
  run: Effect.fn(function* (fate, agent) {
    if (fate === "never") return yield* Effect.never
    if (fate === "badly") return yield* new NoRows()
    if (fate === "waits" || (fate === "once" && agent.assignment.attempt === 1)) return yield* new Down()
    return fate
  })
})

const noRoom: Workspaces = {
  name: "no-room",
  prepare: () => Effect.fail(new Down()),
  check: () => Effect.void,
  find: () => Effect.succeed(null),
  archive: () => Effect.succeed([]),
  remove: () => Effect.succeed({ _tag: "Removed" })
}

const homeless = Workflow.make("homeless", {
  payload: Schema.Null,
  result: Schema.Null,
  workspace: noRoom,
  maxRetries: 0,
  run: () => Effect.succeed(null)
})

/** Waits until the job has made this move. */
const made = Effect.fnUntraced(function* (jobId: string, subject: string, to: string) {
  const fleet = yield* Fleet
  yield* fleet.events({ after: 0, jobId }).pipe(
    Stream.filter(({ subjectKind, toState }) => subjectKind === subject && toState === to),
    Stream.take(1),
    Stream.runDrain
  )
})

const walk = Effect.gen(function* () {
  const fleet = yield* Fleet
  const submitted = yield* fleet.submitAll([
    { workflowType: "fates", payload: "well" },
    { workflowType: "fates", payload: "once" },
    { workflowType: "fates", payload: "waits", maxRetries: 1 },
    { workflowType: "fates", payload: "never" },
    { workflowType: "fates", payload: "badly" },
    { workflowType: "fates", payload: "unheard of" },
    { workflowType: "fates", payload: "well", idempotencyKey: "later", runAt: 32_503_680_000_000 },
    { workflowType: "homeless", payload: null }
  ])
  const [well = "", once = "", waits = "", never = "", badly = "", unheard = "", later = "", roomless = ""] =
    submitted.map(({ jobId }) => jobId)
  yield* fleet.cancel(later)
  yield* made(waits, "job", "RETRY_SCHEDULED")
  yield* fleet.cancel(waits)
  yield* made(never, "agent", "working")
  yield* fleet.cancel(never)
  for (const id of [well, once, badly, roomless]) yield* made(id, "agent", "tombstoned")
  yield* made(unheard, "job", "DEAD_LETTERED")
})

/**
 * The one transition that no fleet makes: a job doesn't rest in VALIDATING (R1), so that nobody can cancel it there. The table has it for
 * stores and hosts of other makes; here the store is asked whether it would take it.
 */
const cancelledWhileValidating = (filename: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(filename, { timeout: 5000 })
    try {
      db.exec(
        "INSERT INTO move (subject_kind, event, from_state, to_state, reason) VALUES ('job', 'cancel', 'VALIDATING', 'CANCELLED', 'caller')"
      )
    } finally {
      db.close()
    }
  })

describe("a run that visits everything", () => {
  it.live("has seen every declared state and transition, and nothing that is not declared", () =>
    Effect.gen(function* () {
      const filename = yield* storePath
      const codes = [{ code: "EXT_DOWN", backoffBaseSeconds: 0.4, jitter: 0 }]
      const store = SqliteStore.layer({ filename, synchronous: "NORMAL" })
      const fleet = Fleet.layer({ slots: 4, workflows: [fates, homeless], codes, drift: "block" })
      const [before, after, drifts] = yield* Effect.gen(function* () {
        yield* walk
        const unvisited = unseenDrifts(declaredWords(), yield* readVocabulary(), "the run").map(driftLine)
        yield* cancelledWhileValidating(filename)
        const rows = yield* readVocabulary()
        const catalogue = yield* ErrorCatalogue.compile(codes)
        return [
          unvisited,
          unseenDrifts(declaredWords(), rows, "the run"),
          (yield* storeDrifts(catalogue)).drifts
        ] as const
      }).pipe(Effect.provide(Layer.provideMerge(fleet, store)))
      assert.deepStrictEqual(before, [
        "MODEL-DRIFT: declared transition 'VALIDATING --cancel--> CANCELLED' of machine job (packages/core/src/domain/JobMachine.ts) was never seen in the run"
      ])
      assert.deepStrictEqual(after.map(driftLine), [])
      assert.deepStrictEqual(drifts.map(driftLine), [])
    }).pipe(Effect.scoped)
  )

  it.effect("tells every state and transition of a store in which nothing has happened", () =>
    Effect.gen(function* () {
      const rows = yield* readVocabulary()
      const unseen = unseenDrifts(declaredWords(), rows, "a new store")
      // 8 states and 13 transitions of a job, 5 and 8 of an agent, creations among them
      assert.lengthOf(unseen, 34)
      assert.strictEqual(
        unseen.map(driftLine).find((line) => line.includes("'COMPLETED'")),
        "MODEL-DRIFT: declared state 'COMPLETED' of machine job (packages/core/src/domain/JobMachine.ts) was never seen in a new store"
      )
    }).pipe(Effect.provide(SqliteStore.layer({ filename: ":memory:" })))
  )
})
