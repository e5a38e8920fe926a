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

  it.effect(
    "phases are no moves: with a workspace, gates and a lander the chain is the same, and a phase without a plugin writes nothing (R1)",
    () =>
      Effect.gen(function* () {
        const phases: Array<string> = []
        const passing = (phase: string) => Effect.sync(() => void phases.push(phase))
        const scripted = ScriptedRunner.make(() => {
          phases.push("work")
          return [succeed(7)]
        })
        const place = { ref: "place", path: "/place" }
        const shape = { payload: Schema.Int, result: Schema.Int, runner: scripted.runner }
        const bare = Workflow.make("bare", shape)
        const full = Workflow.make("full", {
          ...shape,
          workspace: {
            name: "place",
            prepare: () => Effect.as(passing("prepare"), place),
            check: () => passing("sentinel"),
            find: () => Effect.succeed(place),
            archive: () => Effect.as(passing("archive"), []),
            remove: () => Effect.as(passing("clean"), { _tag: "Removed" } as const)
          },
          gates: [{ name: "judge", check: () => Effect.as(passing("verify"), { _tag: "Pass" } as const) }],
          lander: {
            name: "home",
            land: () => Effect.as(passing("land"), { _tag: "Landed", reference: null } as const),
            check: () => Effect.succeed("absent")
          }
        })
        const { fleet, store } = yield* World.withHost({ workflows: [bare, full] })
        const chains: Array<ReadonlyArray<string>> = []
        for (const workflow of [bare, full]) {
          const { jobId } = yield* fleet.submit(workflow, 1)
          yield* World.happened(fleet, (event) => event.jobId === jobId && event.event === "clean")
          const { job } = yield* store.job(jobId)
          const events = yield* eventsOf(store, job)
          chains.push([...moves(events, "job"), ...moves(events, "agent")])
        }
        assert.deepStrictEqual(chains[1], chains[0])
        assert.deepStrictEqual(phases, [
          "work",
          "prepare",
          "sentinel",
          "work",
          "verify",
          "land",
          "archive",
          "clean"
        ])
      })
  )

  it.effect("a function's agent gets a decoded payload, and its result comes back as its type", () =>
    Effect.gen(function* () {
      const work = Workflow.make("work", {
        payload: Schema.Struct({ from: Schema.DateFromString, names: Schema.ReadonlySet(Schema.String) }),
        result: Schema.ReadonlyMap(Schema.String, Schema.DateFromString),
        run: ({ from, names }, agent) =>
          Effect.as(agent.progress("half", 0.5), new Map(Array.from(names, (name) => [name, from] as const)))
      })
      const { fleet, store } = yield* World.withHost({ workflows: [work] })
      const from = new Date(86_400_000)
      const job = yield* fleet.submit(work, { from, names: new Set(["a", "b"]) })
      assert.deepStrictEqual(
        yield* job.result,
        new Map([
          ["a", from],
          ["b", from]
        ])
      )
      const stored = yield* store.job(job.jobId)
      assert.include(stored.payload, "1970-01-02")
      assert.include(stored.result, "1970-01-02")
    })
  )

  it.effect("a declared error comes back to the caller as it was failed with; others are JobFailed", () =>
    Effect.gen(function* () {
      class NoRows extends Schema.TaggedError<NoRows>()("DQ_NO_ROWS", { table: Schema.String }) {}
      const work = Workflow.make("work", {
        payload: Schema.Int,
        result: Schema.Int,
        errors: NoRows,
        run: (n) =>
          n === 1 ? Effect.fail(new NoRows({ table: "hosts" })) : Effect.fail({ _tag: "DQ_OTHER" })
      })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const declared = yield* Effect.flip((yield* fleet.submit(work, 1)).result)
      assert.instanceOf(declared, NoRows)
      assert.propertyVal(declared, "table", "hosts")
      const other = yield* Effect.flip((yield* fleet.submit(work, 2)).result)
      assert.deepInclude(other, { _tag: "JobFailed", code: "DQ_OTHER" })
    })
  )
})
