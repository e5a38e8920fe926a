// The promises of the plugin host: order, names, and that no plugin sinks the ship.
import { assert, describe, it } from "@effect/vitest"
import type { LifecycleEvent, Observer } from "@muster/core"
import { Plugin, PluginFailed, Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Exit, Schema } from "effect"
import { TestClock } from "effect/testing"
import { declaredFacet } from "../reflection/Facets.ts"
import { eventsOf } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, succeed } = ScriptedRunner

const plugin = (
  name: string,
  contributions: Effect.Success<Plugin.Plugin["make"]> = {},
  story: Array<string> = []
) =>
  Plugin.make({
    name,
    version: "1.0.0",
    make: Effect.as(
      Effect.acquireRelease(
        Effect.sync(() => story.push(`load ${name}`)),
        () => Effect.sync(() => story.push(`unload ${name}`))
      ),
      contributions
    )
  })

const pass = Effect.succeed({ _tag: "Pass" } as const)
const gate = (name: string) => ({ name, check: () => pass })

/** What a start that must fail says. */
const refused = (options: Parameters<typeof World.withHost>[0]) =>
  Effect.flatMap(World.make, (world) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(world.host(options))
      const hosts = yield* world.store.records({ kind: "hosts", job: null, after: 0, limit: 1 })
      assert.deepStrictEqual(hosts, [], "nothing was started")
      return error
    })
  )

describe("loading", () => {
  it.effect("plugins are loaded in order and unloaded in reverse", () =>
    Effect.gen(function* () {
      const story: Array<string> = []
      const plugins = ["a", "b", "c"].map((name) => plugin(name, {}, story))
      const { stop } = yield* World.withHost({ workflows: [], plugins })
      yield* stop
      assert.deepStrictEqual(story, ["load a", "load b", "load c", "unload c", "unload b", "unload a"])
    })
  )

  it.effect(
    "a workflow finds by name what plugins contribute: runner, gates, lander, workspace, codes, and whole workflows",
    () =>
      Effect.gen(function* () {
        const asked: Array<string> = []
        const noting = (what: string) => Effect.sync(() => void asked.push(what))
        const scripted = ScriptedRunner.make(
          ({ attempt }) => (attempt === 1 ? [fail("DQ_MINE")] : [succeed(1)]),
          "mine"
        )
        const mine = [{ code: "DQ_MINE", retryable: true, maxAttempts: 2, backoffBaseSeconds: 1, jitter: 0 }]
        const contributed = Workflow.make("contributed", {
          payload: Schema.Int,
          result: Schema.Int,
          runner: "mine",
          gates: ["judge"],
          lander: "home",
          workspace: "place"
        })
        const everything = plugin("everything", {
          runners: [scripted.runner],
          gates: [{ name: "judge", check: () => Effect.andThen(noting("judge"), pass) }],
          landers: [
            {
              name: "home",
              land: () => Effect.as(noting("land"), { _tag: "Landed", reference: null } as const),
              check: () => Effect.succeed("absent")
            }
          ],
          workspaces: [
            {
              name: "place",
              prepare: () => Effect.as(noting("prepare"), { ref: "r", path: "/p" }),
              check: () => Effect.void,
              find: () => Effect.succeed(null),
              archive: () => Effect.succeed([]),
              remove: () => Effect.as(noting("remove"), { _tag: "Removed" } as const)
            }
          ],
          codes: mine,
          workflows: [contributed]
        })
        const { codes, fleet } = yield* World.withHost({ workflows: [], plugins: [everything] })
        codes.push(...mine)
        const job = yield* fleet.submit(contributed, 1)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* job.result, 1)
        yield* World.happened(fleet, ({ event }) => event === "clean")
        assert.deepStrictEqual(asked, ["prepare", "prepare", "judge", "land", "remove"])
      })
  )

  const clashes: ReadonlyArray<readonly [string, Effect.Success<Plugin.Plugin["make"]>]> = [
    ["runner", { runners: [ScriptedRunner.make(() => [], "twin").runner] }],
    ["gate", { gates: [gate("twin")] }],
    ["lander", { landers: [{ name: "twin", land: () => Effect.die(""), check: () => Effect.die("") }] }],
    ["observer", { observers: [{ name: "twin", observe: () => Effect.void }] }],
    ["facet", { facets: [declaredFacet("twin")] }],
    ["workflow", { workflows: [scriptedWorkflow(() => [], { name: "twin" }).work] }]
  ]
  for (const [kind, contributions] of clashes) {
    it.effect(
      `two plugins with a ${kind} of one name are an error that names both, and nothing is started`,
      () =>
        Effect.gen(function* () {
          const story: Array<string> = []
          const plugins = [plugin("first", contributions, story), plugin("second", contributions, story)]
          const error = yield* refused({ workflows: [], plugins })
          assert.strictEqual(error._tag, "ORCH_CONFIG_INVALID")
          for (const word of ["first", "second", "twin", kind]) assert.include(error.message, word)
          assert.deepStrictEqual(story, ["load first", "load second", "unload second", "unload first"])
        })
    )
  }

  it.effect("two plugins of one name, and a workflow that the host defines too, are refused", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(() => [])
      assert.include((yield* refused({ workflows: [], plugins: [plugin("a"), plugin("a")] })).message, "a")
      const clash = yield* refused({ workflows: [work], plugins: [plugin("a", { workflows: [work] })] })
      assert.include(clash.message, "the host")
      assert.include((yield* refused({ workflows: [work, work] })).message, "work")
    })
  )

  for (const [kind, policies] of [
    ["gate", { gates: ["missing"] }],
    ["lander", { lander: "missing" }],
    ["workspace", { workspace: "missing" }],
    ["runner", { runner: "missing" }]
  ] as const) {
    it.effect(
      `a ${kind} that nobody contributes is an error that says where it was asked for and what there is`,
      () =>
        Effect.gen(function* () {
          const shape = { payload: Schema.Int, result: Schema.Int }
          const work = Workflow.make("review", {
            ...shape,
            runner: ScriptedRunner.make(() => []).runner,
            ...policies
          })
          const some = plugin("some", { gates: [gate("known")] })
          const error = yield* refused({ workflows: [work], plugins: [some] })
          assert.strictEqual(error._tag, "ORCH_CONFIG_INVALID")
          for (const word of ["review", kind, "missing", kind === "gate" ? "known" : "none"])
            assert.include(error.message, word)
        })
    )
  }

  for (const [what, make] of [
    ["fails", Effect.fail(new PluginFailed({ plugin: "bad", operation: "Plugin.make", detail: "no key" }))],
    ["dies", Effect.die(new Error("no key"))],
    ["interrupts itself", Effect.interrupt]
  ] as const) {
    it.effect(
      `a plugin whose making ${what} ends the start with its name, and those before it are unloaded`,
      () =>
        Effect.gen(function* () {
          const story: Array<string> = []
          const bad = Plugin.make({ name: "bad", version: "1.0.0", make })
          const error = yield* refused({ workflows: [], plugins: [plugin("good", {}, story), bad] })
          assert.deepInclude(error, { _tag: "ORCH_PLUGIN_FAILED", plugin: "bad", operation: "Plugin.make" })
          assert.deepStrictEqual(story, ["load good", "unload good"])
        })
    )
  }
})

describe("observers", () => {
  const watched = Effect.fnUntraced(function* (observers: ReadonlyArray<Observer>, jobs = 20) {
    const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
    const world = yield* World.withHost({ workflows: [work], plugins: [plugin("watching", { observers })] })
    const submitted = yield* world.fleet.submitAll(
      numbers(jobs).map((payload) => ({ workflowType: "work", payload }))
    )
    for (const { jobId } of submitted) {
      assert.strictEqual((yield* world.fleet.await(jobId)).job.state, "COMPLETED")
    }
    yield* World.happened(world.fleet, ({ event }) => event === "clean", jobs)
    return world
  })

  it.effect("see every event, in order, once", () =>
    Effect.gen(function* () {
      const seen: Array<LifecycleEvent> = []
      const observer: Observer = {
        name: "good",
        observe: (events) => Effect.sync(() => void seen.push(...events))
      }
      const { store } = yield* watched([observer])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(seen, yield* eventsOf(store))
    })
  )

  const watchings: ReadonlyArray<readonly [string, Observer["observe"]]> = [
    ["fails", () => Effect.fail("away")],
    ["dies", () => Effect.die(new Error("bug"))],
    [
      "throws",
      () => {
        throw new Error("bug")
      }
    ],
    ["interrupts itself", () => Effect.interrupt]
  ]
  for (const [what, observe] of watchings) {
    it.effect(
      `one that ${what} is cut off and named in the log; neither the fleet nor the others notice`,
      () =>
        Effect.gen(function* () {
          let calls = 0
          let seen = 0
          const bad: Observer = {
            name: "bad one",
            observe: (events) => {
              calls++
              return observe(events)
            }
          }
          const good: Observer = {
            name: "good one",
            observe: (events) => Effect.sync(() => void (seen += events.length))
          }
          const { log } = yield* watched([bad, good])
          yield* TestClock.adjust(1)
          assert.strictEqual(calls, 1)
          assert.strictEqual(seen, 20 * 8)
          assert.include(log.join("\n"), "observer bad one is cut off")
        })
    )
  }

  it.effect("a slow one never slows the fleet", () =>
    Effect.gen(function* () {
      const stuck: Observer = { name: "stuck", observe: () => Effect.never }
      yield* watched([stuck], 300)
    })
  )

  it.effect("one that is cut off by a store that is busy for a moment would miss events: it isn't", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const observer: Observer = {
        name: "good",
        observe: (events) => Effect.sync(() => void seen.push(...events.map(({ sequence }) => sequence)))
      }
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { faults, fleet, log } = yield* World.withHost({
        workflows: [work],
        plugins: [plugin("watching", { observers: [observer] })]
      })
      faults.inject({ operation: "events", error: "busy", times: 5 })
      yield* (yield* fleet.submit(work, 1)).result
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, numbers(8))
      assert.deepStrictEqual(log, [])
    })
  )
})

describe("a fleet", () => {
  it.effect("refuses numbers that can't be: slots below one", () =>
    Effect.gen(function* () {
      for (const slots of [0, -1, 1.5, Number.NaN]) {
        const exit = yield* Effect.exit(
          Effect.flatMap(World.make, ({ host }) => host({ workflows: [], slots }))
        )
        assert.isTrue(Exit.hasFails(exit), `${slots}`)
        assert.include(String(exit), "slots")
      }
    })
  )
})
