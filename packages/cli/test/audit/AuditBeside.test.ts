// An audit of a file that a host is writing: what moves while it is read is never told half old and half new.
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { auditStore, ErrorCatalogue, type Finding, Workflow } from "@muster/core"
import { Fleet } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Fiber, FileSystem, Layer, Schema } from "effect"
import { world } from "../CommandLine.ts"

class Flaky extends Schema.TaggedError<Flaky>()("EXT_FLAKY", { message: Schema.String }) {}

const jobs = 600

/** A third fails at first, so that jobs move back and forth; some yield, so that lives overlap. */
const work = (tried: Set<number>) =>
  Workflow.make("work", {
    payload: Schema.Int,
    result: Schema.Int,
    run: Effect.fn(function* (n: number) {
      if (n % 2 === 0) yield* Effect.yieldNow
      if (n % 3 === 0 && !tried.has(n)) {
        tried.add(n)
        return yield* new Flaky({ message: "at first" })
      }
      return n
    })
  })

const codes = [{ code: "EXT_*", backoffBaseSeconds: 0.02 }]

describe("the audit beside a running host", () => {
  it.live(
    "finds no fault, however often it looks, and all is judged once the host has nothing left to do",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const filename = join(yield* fs.makeTempDirectoryScoped({ prefix: "muster-audit-" }), "fleet.db")
        const store = SqliteStore.layer({ filename, synchronous: "NORMAL" })
        const fleet = Fleet.layer({ workflows: [work(new Set())], slots: 8, codes }).pipe(
          Layer.provide(store)
        )
        const catalogue = yield* ErrorCatalogue.compile(codes)
        const audit = Effect.gen(function* () {
          const found: Array<Finding> = []
          const audited = yield* auditStore({
            catalogue,
            report: (finding) => Effect.sync(() => void found.push(finding))
          })
          assert.deepStrictEqual(
            found.filter(({ severity }) => severity === "fault"),
            []
          )
          return audited
        })
        const looks = yield* Effect.gen(function* () {
          const fleet = yield* Fleet
          const submitting = yield* Effect.forkScoped(
            Effect.forEach(Array.from({ length: jobs / 20 }), (_, batch) =>
              fleet.submitAll(
                Array.from({ length: 20 }, (_, index) => ({
                  workflowType: "work",
                  payload: batch * 20 + index
                }))
              )
            )
          )
          const auditing = Effect.gen(function* () {
            let looks = 0
            for (let events = -1; ; looks++) {
              const audited = yield* audit
              // nothing has moved since the look before
              if (audited.jobs === jobs && audited.events === events) return { looks, audited }
              events = audited.events
            }
          }).pipe(Effect.provide(store))
          const seen = yield* Effect.forkScoped(auditing)
          const answered = yield* Fiber.join(submitting)
          for (const { jobId } of answered.flat()) {
            const { job } = yield* fleet.await(jobId)
            assert.strictEqual(job.state, "COMPLETED")
          }
          return yield* Fiber.join(seen)
        }).pipe(Effect.provide(fleet))
        assert.deepStrictEqual(looks.audited.unjudged, [])
        assert.isAbove(looks.looks, 1)
        const after = yield* audit.pipe(Effect.provide(store))
        assert.deepInclude(after, { jobs, faults: 0, notes: 0, unjudged: [] })
      }).pipe(Effect.scoped, Effect.provide(world)),
    60_000
  )
})
