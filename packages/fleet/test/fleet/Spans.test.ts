// Every call of a contract is a span, because the fleet makes it one and not each implementation.
import { assert, it } from "@effect/vitest"
import { Plugin, Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Schema, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as World from "./World.ts"

const pass = Effect.succeed({ _tag: "Pass" } as const)
const conflictThenLanded = () => {
  let calls = 0
  return () =>
    ++calls === 1 ? Effect.fail("reset") : Effect.succeed({ _tag: "Landed", reference: null } as const)
}

const mirror = {
  key: "mirror",
  holds: "Nothing is off.",
  genre: "reference",
  tempo: "brisk",
  status: "built",
  policy: { path: "docs/mirror.md", anchor: "" },
  followUps: ["tell"]
} as const

it.effect(
  "every call of a contract is a span with its plugin's name, and each phase one under the job's own trace",
  () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.NativeSpan> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const scripted = ScriptedRunner.make(() => [ScriptedRunner.succeed(1)])
      const all = Plugin.make({
        name: "all of it",
        version: "1.0.0",
        make: Effect.succeed({
          workspaces: [
            {
              name: "place",
              prepare: () => Effect.succeed({ ref: "r", path: "/p" }),
              check: () => Effect.void,
              find: (ref) => Effect.succeed({ ref, path: "/p" }),
              archive: () => Effect.succeed([]),
              remove: () => Effect.succeed({ _tag: "Removed" } as const)
            }
          ],
          gates: [{ name: "judge", check: () => pass }],
          landers: [
            { name: "home", land: conflictThenLanded(), check: () => Effect.succeed("absent" as const) }
          ],
          observers: [{ name: "watcher", observe: () => Effect.void }],
          facets: [{ ...mirror, reflect: () => Effect.succeed(null) }]
        })
      })
      const work = Workflow.make("work", {
        payload: Schema.Int,
        result: Schema.Int,
        runner: scripted.runner,
        workspace: "place",
        gates: ["judge"],
        lander: "home"
      })
      const world = yield* World.make
      const { fleet } = yield* world
        .host({ workflows: [work], plugins: [all], reflects: false })
        .pipe(Effect.provideService(Tracer.Tracer, tracer))
      const traceContext = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      const job = yield* fleet.submit(work, 1, { traceContext })
      yield* job.result
      yield* World.happened(fleet, ({ event }) => event === "clean")
      yield* TestClock.adjust("1 minute")

      const called = new Map(spans.map((span) => [span.name, span]))
      for (const [operation, plugin] of [
        ["Plugin.make", "all of it"],
        ["Workspaces.prepare", "place"],
        ["Workspaces.check", "place"],
        ["Workspaces.find", "place"],
        ["Workspaces.archive", "place"],
        ["Workspaces.remove", "place"],
        ["Gate.check", "judge"],
        ["Lander.land", "home"],
        ["Lander.check", "home"],
        ["Observer.observe", "watcher"],
        ["Facet.reflect", "mirror"]
      ] as const) {
        assert.strictEqual(called.get(operation)?.attributes.get("muster.plugin"), plugin, operation)
      }
      for (const operation of ["Store.commit", "Store.enlist"])
        assert.isTrue(called.has(operation), operation)
      for (const phase of ["prepare", "work", "verify", "land"]) {
        const span = called.get(`Agent.${phase}`)
        assert.strictEqual(span?.traceId, "0af7651916cd43dd8448eb211c80319c", phase)
        assert.strictEqual(span?.attributes.get("muster.job_id"), job.jobId)
      }
      const handedOn = scripted.starts()[0]?.traceContext
      assert.strictEqual(
        handedOn,
        `00-0af7651916cd43dd8448eb211c80319c-${called.get("Agent.work")?.spanId}-01`
      )
    })
)
