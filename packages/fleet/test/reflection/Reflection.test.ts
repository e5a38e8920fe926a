// The substrate: who is asked when, what becomes of what is said, and that no facet costs more than its own reflection.
import { assert, describe, it } from "@effect/vitest"
import { type Facet, Outcome, Plugin, repeatMillis } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { scriptedWorkflow } from "../fleet/Scripted.ts"
import * as World from "../fleet/World.ts"
import { builtFacet, declaration, declaredFacet, firing, firingFacet } from "./Facets.ts"

const { succeed, waitFor } = ScriptedRunner

const plugin = (facets: ReadonlyArray<Facet>) =>
  Plugin.make({ name: "mirrors", version: "1.0.0", make: Effect.succeed({ facets }) })

/** A host with these facets and no others. */
const reflecting = (facets: ReadonlyArray<Facet>) =>
  World.withHost({ workflows: [], reflects: false, drift: "off", plugins: [plugin(facets)] })

type Running = Effect.Success<ReturnType<typeof reflecting>>

/** What was written of reflections, the oldest first. */
const records = Effect.fnUntraced(function* ({ store }: Pick<Running, "store">) {
  const events = yield* store.events({ job: null, hosts: true, after: 0, limit: 500, order: "ascending" })
  return events.filter((event) => Option.isSome(Outcome.detailIn(event)))
})

const glimpse = (world: Running, key: string) =>
  Effect.map(world.fleet.facets, (all) => all.find(({ declaration: { key: its } }) => its === key))

/** Counts how often it is asked. */
const counted = (differs: Parameters<typeof builtFacet>[1] = {}) => {
  const asked = { times: 0 }
  const facet = builtFacet(
    () =>
      Effect.sync(() => {
        asked.times++
        return null
      }),
    differs
  )
  return { asked, facet }
}

describe("silence", () => {
  it.effect("is the usual answer: nothing is written, logged or committed for it", () =>
    Effect.gen(function* () {
      const { asked, facet } = counted()
      const world = yield* reflecting([facet])
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(asked.times, 0)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(asked.times, 10)
      assert.deepStrictEqual(
        yield* world.store.events({ job: null, after: 0, limit: 9, order: "ascending" }),
        []
      )
      assert.deepStrictEqual(world.log, [])
      assert.deepInclude(yield* glimpse(world, "mirror"), {
        asked: 10,
        fired: 0,
        failed: 0,
        firedAt: null,
        said: null,
        by: "mirrors"
      })
    })
  )

  it.effect("is all that is heard of the built-in facets while a fleet works", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.withHost({ workflows: [work] })
      for (let n = 1; n <= 4; n++) {
        yield* (yield* world.fleet.submit(work, n)).result
        yield* TestClock.adjust("1 minutes")
      }
      assert.deepStrictEqual(yield* records(world), [])
      assert.deepStrictEqual(world.log, [])
      const facets = yield* world.fleet.facets
      assert.deepStrictEqual(
        facets.filter(({ asked }) => asked === 0).map(({ declaration: { key } }) => key),
        ["spend"]
      )
    })
  )
})

describe("turns", () => {
  it.effect("go round within a class, at most one a window; classes don't wait for each other", () =>
    Effect.gen(function* () {
      const [a, b, steady] = [
        counted({ key: "a" }),
        counted({ key: "b" }),
        counted({ key: "steady", tempo: "steady" })
      ]
      yield* reflecting([a.facet, b.facet, steady.facet])
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual([a.asked.times, b.asked.times, steady.asked.times], [5, 5, 1])
      yield* TestClock.adjust("1 minutes")
      assert.strictEqual(steady.asked.times, 2)
    })
  )

  it.effect("never come to a facet that is interface_ready, and the registry lists it", () =>
    Effect.gen(function* () {
      const world = yield* reflecting([declaredFacet("later"), counted().facet])
      yield* TestClock.adjust("5 minutes")
      assert.deepInclude(yield* glimpse(world, "later"), {
        asked: 0,
        askedAt: null,
        declaration: declaredFacet("later")
      })
      assert.deepInclude(yield* glimpse(world, "mirror"), { asked: 5, declaration })
    })
  )
})

describe("a firing", () => {
  it.effect("is an event with its facet, sentence, follow-up and evidence, and a line in the log", () =>
    Effect.gen(function* () {
      const world = yield* reflecting([firingFacet()])
      yield* TestClock.adjust("60 seconds")
      const event = yield* World.happened(world.fleet, ({ event: name }) => name === "facet_fired")
      assert.deepInclude(event, {
        subjectKind: "host",
        jobId: null,
        fromState: null,
        toState: null,
        transitionReason: "reference",
        errorCode: null,
        actor: "host:1",
        occurredAt: 60_000
      })
      assert.deepStrictEqual(Option.getOrNull(Outcome.detailIn(event)), {
        facet: "mirror",
        about: "thing",
        sentence: "something is off",
        follow_up: "tell",
        suggestion: null,
        policy: "docs/mirror.md",
        evidence: { seen: 1 }
      })
      assert.deepStrictEqual(world.log, ["mirror: something is off"])
      assert.deepInclude(yield* glimpse(world, "mirror"), {
        fired: 1,
        firedAt: 60_000,
        said: "something is off"
      })
    })
  )

  it.effect("that is only to be noted is not told, and one that suggests says what to run", () =>
    Effect.gen(function* () {
      const followUps = ["note", "suggest"] as const
      const noting = firingFacet({ followUp: "note" }, { key: "noting", followUps })
      const suggesting = firingFacet(
        { followUp: "suggest", suggestion: "muster scale 8" },
        { key: "suggesting", followUps }
      )
      const world = yield* reflecting([noting, suggesting])
      yield* TestClock.adjust("2 minutes")
      yield* World.happened(world.fleet, ({ event }) => event === "facet_fired", 2)
      assert.deepStrictEqual(world.log, ["suggesting: something is off"])
      const [, second] = Outcome.saidIn(yield* records(world))
      assert.propertyVal(second, "facet", "suggesting")
      const details = (yield* records(world)).map(
        (event) => Option.getOrThrow(Outcome.detailIn(event)).suggestion
      )
      assert.deepStrictEqual(details, [null, "muster scale 8"])
    })
  )

  it.effect("of the same thing is written once in its window of repetitions, whichever host says it", () =>
    Effect.gen(function* () {
      const world = yield* reflecting([firingFacet({ sentence: "still off" })])
      const second = yield* world.host({
        workflows: [],
        reflects: false,
        drift: "off",
        plugins: [plugin([firingFacet()])]
      })
      yield* TestClock.adjust("5 minutes")
      assert.lengthOf(yield* records(world), 1)
      yield* second.stop
      yield* world.suspend(repeatMillis.brisk)
      yield* TestClock.adjust("2 minutes")
      assert.lengthOf(yield* records(world), 2)
    })
  )

  it.effect("is written again after a silence, and at once about another thing", () =>
    Effect.gen(function* () {
      const answers = [
        firing(),
        firing(),
        null,
        firing(),
        firing({ about: "other" }),
        firing({ about: "other" })
      ]
      let n = 0
      const world = yield* reflecting([builtFacet(() => Effect.sync(() => answers[n++] ?? null))])
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual(
        Outcome.saidIn(yield* records(world)).map(({ about, at }) => `${about} ${at / 60_000}`),
        ["thing 1", "thing 4", "other 5"]
      )
    })
  )

  it.effect("is not repeated by a host that has just started", () =>
    Effect.gen(function* () {
      const world = yield* reflecting([firingFacet()])
      yield* TestClock.adjust("1 minutes")
      yield* world.stop
      yield* world.host({ workflows: [], reflects: false, drift: "off", plugins: [plugin([firingFacet()])] })
      yield* TestClock.adjust("5 minutes")
      assert.lengthOf(yield* records(world), 1)
    })
  )

  it.effect("is cut to what may be kept", () =>
    Effect.gen(function* () {
      const cyclic: { self?: unknown } = {}
      cyclic.self = cyclic
      const sentence = `two\nlines ${"x".repeat(5_000)}`
      const world = yield* reflecting([firingFacet({ sentence, evidence: cyclic })])
      yield* TestClock.adjust("1 minutes")
      const event = yield* World.happened(world.fleet, ({ event: name }) => name === "facet_fired")
      const detail = Option.getOrThrow(Outcome.detailIn(event))
      assert.match(detail.sentence, /^two lines x+…\[cut\]$/)
      assert.isAtMost(detail.sentence.length, 1_024)
      assert.isNull(detail.evidence)
    })
  )
})

describe("a facet without its policy", () => {
  it.effect("is not asked, which is said, until the policy is there", () =>
    Effect.gen(function* () {
      const { asked, facet } = counted()
      const world = yield* reflecting([facet])
      world.missing.add("docs/mirror.md")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(asked.times, 0)
      const [event, ...others] = yield* records(world)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(event, { event: "facet_skipped", transitionReason: "policy_missing" })
      assert.deepStrictEqual(world.log, [
        "mirror: the facet mirror is not asked: its policy docs/mirror.md leads nowhere (no_document)"
      ])
      world.missing.clear()
      yield* TestClock.adjust("1 minutes")
      assert.strictEqual(asked.times, 1)
    })
  )
})

describe("a facet that is broken costs its own reflection only", () => {
  const breaking: ReadonlyArray<readonly [string, Parameters<typeof builtFacet>[0]]> = [
    ["fails", () => Effect.fail("away")],
    ["dies", () => Effect.die(new Error("bug"))],
    [
      "throws",
      () => {
        throw new Error("bug")
      }
    ],
    ["interrupts itself", () => Effect.interrupt],
    ["answers nonsense", () => Effect.succeed(undefined as never)], // what a plugin in plain JavaScript may do
    ["hangs", () => Effect.never],
    ["asks for what it has not declared", () => Effect.succeed(firing({ followUp: "look_again" }))],
    ["suggests nothing to run", () => Effect.succeed(firing({ suggestion: "muster status" }))]
  ]
  for (const [what, reflect] of breaking) {
    it.effect(`one that ${what} is named in the log, and asked again when its turn comes`, () =>
      Effect.gen(function* () {
        let times = 0
        const bad = builtFacet(
          (view) => {
            times++
            return reflect(view)
          },
          { key: "bad" }
        )
        const good = counted({ key: "good" })
        const world = yield* reflecting([bad, good.facet])
        yield* TestClock.adjust("4 minutes")
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual([times, good.asked.times], [2, 2])
        assert.lengthOf(
          world.log.filter((line) => line.includes("facet bad failed")),
          2
        )
        assert.deepStrictEqual(yield* records(world), [])
        assert.deepInclude(yield* glimpse(world, "bad"), { asked: 2, failed: 2, fired: 0, hung: false })
      })
    )
  }

  it.effect(
    "one that can't even be interrupted is left out until it ends, and the fleet works and stops without it",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
        const hanging = builtFacet(() => Effect.uninterruptible(Effect.never), { key: "bad" })
        const good = counted({ key: "good" })
        const world = yield* World.withHost({
          workflows: [work],
          reflects: false,
          plugins: [plugin([hanging, good.facet])]
        })
        const job = yield* world.fleet.submit(work, 1)
        yield* scripted.started(1)
        yield* TestClock.adjust("10 minutes")
        assert.deepInclude(yield* glimpse(world, "bad"), { asked: 1, failed: 1, hung: true })
        assert.strictEqual(good.asked.times, 9)
        yield* scripted.release("1")
        assert.strictEqual(yield* job.result, 1)
        yield* world.stop
      })
  )

  it.effect("a turn of the loop goes on while a facet thinks", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.withHost({
        workflows: [work],
        reflects: false,
        drift: "off",
        plugins: [plugin([builtFacet(() => Effect.never)])]
      })
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(yield* (yield* world.fleet.submit(work, 1)).result, 1)
      assert.deepInclude(yield* glimpse(world, "mirror"), { asked: 1, failed: 0 })
    })
  )
})

describe("a store in trouble", () => {
  it.effect("costs the reflections that it lasts, and no word beside the loop's own", () =>
    Effect.gen(function* () {
      const { asked, facet } = counted()
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.withHost({
        workflows: [work],
        reflects: false,
        drift: "off",
        plugins: [plugin([facet])]
      })
      yield* (yield* world.fleet.submit(work, 1)).result
      world.faults.inject({ operation: "events", error: "broken", times: 2 })
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(asked.times, 3)
      assert.deepInclude(yield* glimpse(world, "mirror"), { asked: 3, failed: 0 })
      assert.deepStrictEqual(world.log, [])
    })
  )
})

describe("what is declared wrongly", () => {
  for (const [what, differs] of [
    ["tempo", { tempo: "hourly" as never }], // what a plugin in plain JavaScript may do
    ["key", { key: "Not A Key" }],
    ["followUps", { followUps: [] }]
  ] as const) {
    it.effect(`ends the start: its ${what}`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(reflecting([firingFacet({}, differs)]))
        assert.strictEqual(error._tag, "ORCH_CONFIG_INVALID")
        for (const word of ["mirrors", what]) assert.include(error.message, word)
      })
    )
  }
})
