// A host that forgets, over a real file: what is left, and that the audit finds nothing wrong with it.
import { assert, layer } from "@effect/vitest"
import { Store, Workflow } from "@muster/core"
import { Fleet } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { storeFolder, world } from "../CommandLine.ts"

class Bad extends Schema.TaggedError<Bad>()("DQ_BAD", {}) {}

const work = Workflow.make("work", {
  payload: Schema.Int,
  result: Schema.Int,
  run: (n) => (n < 0 ? Effect.fail(new Bad()) : Effect.succeed(n))
})

layer(world)("a fleet over a file", (it) => {
  it.effect(
    "keeps the newest finished jobs, its letters and what their replays read, and counts that add up",
    () =>
      Effect.gen(function* () {
        const { file, type } = yield* storeFolder
        const store = SqliteStore.layer({ filename: file })
        yield* Effect.gen(function* () {
          const fleet = yield* Fleet
          const submissions = [-1, ...Array.from({ length: 300 }, (_, n) => n), -2].map((payload) => ({
            workflowType: "work",
            payload,
            idempotencyKey: `${payload}`
          }))
          for (const { jobId } of yield* fleet.submitAll(submissions)) yield* fleet.await(jobId)
          const { jobId } = yield* fleet.replay("1")
          yield* fleet.await(jobId)
          const { tally } = yield* Store
          const finished = Effect.map(tally(0), ({ jobs }) => jobs.reduce((sum, { count }) => sum + count, 0))
          for (let n = 0; n < 500 && (yield* finished) > 12; n++) yield* TestClock.adjust("1 second")
        }).pipe(
          Effect.provide(
            Fleet.layer({ workflows: [work], slots: 20, retention: { jobs: 10 } }).pipe(
              Layer.provideMerge(store)
            )
          )
        )
        const kept = yield* Effect.flatMap(Store, ({ jobs }) =>
          jobs({ by: "page", state: null, workflow: null, after: 0, limit: 1000 })
        ).pipe(Effect.provide(store))
        const seqs = kept.map(({ job }) => job.seq)
        assert.includeMembers(seqs, [1, 302, 303], "letters, and the job whose replay is one")
        assert.strictEqual(seqs.filter((seq) => seq > 1 && seq < 302).length, 9)
        const audit = yield* type(["audit"])
        assert.strictEqual(audit.exitCode, 0, audit.out.join("\n"))
      }),
    30_000
  )
})
