// The life of one job, and what payloads and results may do to it.
import { assert, describe, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Schema } from "effect"
import { eventsOf, moves } from "./Chains.ts"
import * as World from "./World.ts"

const { succeed } = ScriptedRunner

describe("the life of a job", () => {
  it.effect("a job is carried from PENDING to tombstone with an unbroken chain", () =>
    Effect.gen(function* () {
      const scripted = ScriptedRunner.make(() => [succeed(7)])
      const work = Workflow.make("work", { payload: Schema.Int, result: Schema.Int, runner: scripted.runner })
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      assert.strictEqual(yield* job.result, 7)
      const stored = yield* store.job(job.jobId)
      const events = yield* eventsOf(store, stored.job)
      assert.deepStrictEqual(moves(events, "job"), [
        "submit:submitted",
        "validate:slot_free",
        "accept:payload_valid",
        "complete:landed"
      ])
      assert.deepStrictEqual(moves(events, "agent"), [
        "dispatch:job_accepted",
        "prepare:prepared",
        "land:commit_verified",
        "clean:clean"
      ])
      assert.propertyVal(stored.job.agent, "disposition", "landed")
    })
  )
})
