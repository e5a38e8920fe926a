// Each built-in facet in a fleet: it speaks of a real situation, and is silent before and after.
import { assert, describe, it } from "@effect/vitest"
import { type FacetDeclaration, Outcome, Store } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Context, Effect, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { Documents } from "../../src/adapters/documents/Documents.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import * as NodeDigest from "../../src/adapters/NodeDigest.ts"
import { HostProbe } from "../../src/adapters/process/HostProbe.ts"
import { ProcessReaper } from "../../src/adapters/process/ProcessReaper.ts"
import { Fleet } from "../../src/Fleet.ts"
import { numbers, scriptedWorkflow } from "../fleet/Scripted.ts"
import * as World from "../fleet/World.ts"

const { fail, succeed, waitFor } = ScriptedRunner

type Stored = Pick<World.World, "store">

/** What the built-in facets have said. */
const spoken = Effect.fnUntraced(function* ({ store }: Stored) {
  const events = yield* store.events({ job: null, hosts: true, after: 0, limit: 500, order: "ascending" })
  return events.flatMap((event) =>
    Option.match(Outcome.detailIn(event), { onNone: () => [], onSome: (one) => [one] })
  )
})

const asked = (fleet: World.HostUnderTest["fleet"], wanted: FacetDeclaration["key"]) =>
  Effect.map(fleet.facets, (all) => all.find(({ declaration: { key } }) => key === wanted)?.asked)

describe("recurring failure", () => {
  it.effect("speaks of a code that comes back although each job is mended by its retries", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ attempt, n }) => [attempt === 1 ? fail("EXT_DOWN") : succeed(n)])
      const world = yield* World.withHost({ workflows: [work] })
      const submitted = numbers(5)
      for (const n of submitted) {
        const job = yield* world.fleet.submit(work, n)
        yield* TestClock.adjust("3 minutes")
        yield* job.result
        if (n < 5) assert.deepStrictEqual(yield* spoken(world), [])
      }
      yield* TestClock.adjust("6 minutes")
      const [said, ...others] = yield* spoken(world)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(said, { facet: "recurring-failure", about: "code:EXT_DOWN", follow_up: "tell" })
      assert.deepInclude(said?.evidence, { code: "EXT_DOWN", failures: 5 })
    })
  )

  it.effect("says nothing of a burst, nor of jobs that work", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [n % 2 === 0 ? fail("DQ_BAD") : succeed(n)])
      const world = yield* World.withHost({ workflows: [work] })
      yield* world.fleet.submitAll(numbers(20).map((payload) => ({ workflowType: "work", payload })))
      yield* TestClock.adjust("12 minutes")
      assert.strictEqual(yield* asked(world.fleet, "recurring-failure"), 2)
      assert.deepStrictEqual(yield* spoken(world), [])
    })
  )
})

describe("stale pointer", () => {
  it.effect("speaks of a hint whose document is gone, and not of one that is there", () =>
    Effect.gen(function* () {
      const hint = "Wait as docs/runbook.md#limits says."
      const world = yield* World.make
      world.missing.add("docs/runbook.md")
      const { fleet } = yield* world.host({ workflows: [], codes: [{ code: "EXT_LIMITED", hint }] })
      yield* TestClock.adjust("1 minutes")
      const said = yield* World.happened(fleet, ({ event }) => event === "facet_fired")
      assert.include(said.detail, "code EXT_LIMITED points to docs/runbook.md#limits")
      world.missing.clear()
      yield* TestClock.adjust("2 minutes")
      assert.lengthOf(yield* spoken(world), 1)
    })
  )
})

describe("capacity", () => {
  const outside = Layer.mergeAll(
    Layer.succeed(HostProbe, {
      self: Effect.succeed({ machine: "test", boot_id: null, pid: 1, start_time: "1" }),
      probe: () => Effect.succeed("unknown")
    }),
    Layer.succeed(ProcessReaper, {
      find: () => Effect.succeed([]),
      reap: () => Effect.succeed({ killed: [], left: [] })
    }),
    Layer.succeed(Documents, { resolve: (references) => Effect.succeed(references.map(() => "resolved")) }),
    NodeDigest.layer,
    Logger.layer([])
  )

  /** A store that hears of no other process: then a host rests on work that another one has brought. */
  const deaf = Effect.gen(function* () {
    const data = MemoryStore.makeDriver()
    const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
    const theirs = yield* Layer.build(Store.layerFromDriver(Effect.succeed(data)))
    const context = yield* Layer.build(
      Fleet.layerNoDeps({ seed: 1, workflows: [work] }).pipe(
        Layer.provide(
          Store.layerFromDriver(Effect.succeed({ ...data.reopen(), changed: Effect.succeed(0) }))
        ),
        Layer.provide(outside)
      )
    )
    return { fleet: Context.get(context, Fleet), store: Context.get(theirs, Store) }
  })

  it.effect("speaks where the orchestrator rests with ratified work queued, and has it look again", () =>
    Effect.gen(function* () {
      const { fleet, store } = yield* deaf
      yield* TestClock.adjust("1 minutes")
      yield* store.commit({
        fence: null,
        at: 60_000,
        inserts: [
          {
            workflowType: "work",
            idempotencyKey: "one",
            payloadFingerprint: "f",
            payload: "1",
            priority: 0,
            runAt: 60_000,
            maxRetries: 0,
            correlationId: null,
            traceContext: null,
            replayOf: null,
            actor: "operator:ana"
          }
        ]
      })
      yield* TestClock.adjust("55 seconds")
      const [waiting] = yield* store.jobs({ by: "seq", seqs: [1], bodies: false })
      assert.strictEqual(waiting?.job.state, "PENDING")
      assert.deepStrictEqual(yield* spoken({ store }), [])
      yield* TestClock.adjust("1 minutes")
      const [said, ...others] = yield* spoken({ store })
      assert.deepStrictEqual(others, [])
      assert.deepInclude(said, { facet: "capacity", about: "host:1", follow_up: "look_again" })
      assert.deepInclude(said?.evidence, { job_id: `${store.id}-1`, free_slots: 4 })
      const { job } = yield* fleet.await(`${store.id}-1`)
      assert.strictEqual(job.state, "COMPLETED")
    })
  )

  it.effect(
    "says nothing while all slots are used, while the fleet is paused, or while a job is not due",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
        const world = yield* World.withHost({ workflows: [work], slots: 1 })
        yield* Effect.forEach(numbers(2), (n) => world.fleet.submit(work, n))
        yield* scripted.started(1)
        yield* TestClock.adjust("3 minutes")
        yield* world.fleet.pause()
        yield* scripted.release("1")
        yield* TestClock.adjust("3 minutes")
        yield* world.fleet.resume()
        yield* scripted.started(2)
        yield* scripted.release("2")
        yield* world.fleet.submit(work, 3, { runAt: 3_600_000 })
        yield* TestClock.adjust("3 minutes")
        assert.strictEqual(yield* asked(world.fleet, "capacity"), 4)
        assert.deepStrictEqual(yield* spoken(world), [])
      })
  )
})

describe("capacity and a storm", () => {
  it.effect("says nothing of jobs that a breaker holds back beside free slots", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(() => [fail("EXT_DOWN")], {
        breaker: { failures: 2, attempts: 2, probe: "10 minutes" }
      })
      const world = yield* World.withHost({ workflows: [work], slots: 2 })
      yield* TestClock.adjust("1 seconds")
      yield* world.fleet.submitAll(numbers(5).map((payload) => ({ workflowType: "work", payload })))
      yield* World.happened(world.fleet, ({ event }) => event === "breaker_open")
      yield* TestClock.adjust("5 minutes")
      const { breakers, tally, usedSlots } = yield* world.fleet.snapshot
      assert.deepStrictEqual([breakers.length, usedSlots], [1, 0])
      assert.isAtMost(tally.oldest_ready ?? Number.POSITIVE_INFINITY, 60_000)
      assert.strictEqual(yield* asked(world.fleet, "capacity"), 2)
      assert.deepStrictEqual(yield* spoken(world), [])
    })
  )
})

describe("bank freshness", () => {
  it.effect("speaks of another host whose loop stands still while its lease is renewed", () =>
    Effect.gen(function* () {
      const world = yield* World.make
      const stuck = yield* world.host({ workflows: [], reflects: false })
      const { fleet } = yield* world.host({ workflows: [] })
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* spoken(world), [])
      stuck.faults.inject({ operation: "commit", error: "broken", times: Number.POSITIVE_INFINITY })
      yield* TestClock.adjust("6 minutes")
      const [said, ...others] = yield* spoken(world)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(said, { facet: "bank-freshness", about: "host:1", follow_up: "tell" })
      assert.isAbove((yield* asked(fleet, "bank-freshness")) ?? 0, 3)
    })
  )
})
