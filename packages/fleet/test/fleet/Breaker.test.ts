// A storm: too many attempts of a workflow fail, its jobs wait and burn nothing, and one probe finds out when they may go on.
import { assert, describe, it } from "@effect/vitest"
import type { LifecycleEvent, StoreService } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, sleep, succeed, waitFor } = ScriptedRunner

/** A workflow whose attempts fail while it storms. */
const stormy = (policies: Parameters<typeof scriptedWorkflow>[1] = {}) => {
  const weather = { bad: true }
  const made = scriptedWorkflow(
    ({ n }) => [sleep(1_000), weather.bad ? fail("EXT_DOWN") : succeed(n)],
    policies
  )
  return { ...made, weather }
}

const codes = [{ code: "EXT_DOWN", maxAttempts: 9, backoffBaseSeconds: 1, backoffMultiplier: 1, jitter: 0 }]

const ofBreakers = (events: ReadonlyArray<LifecycleEvent>): ReadonlyArray<LifecycleEvent> =>
  events.filter(({ event }) => event.startsWith("breaker_"))

const story = (store: StoreService) =>
  Effect.map(eventsOf(store), (events) =>
    ofBreakers(events).map(({ event, transitionReason }) => `${event}:${transitionReason}`)
  )

describe("a storm", () => {
  it.effect(
    "opens the breaker at the fifth failure; then jobs wait, burn nothing, and nothing turns hot",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = stormy()
        const calm = scriptedWorkflow(({ n }) => [succeed(n)], { name: "calm" })
        const options = { workflows: [work, calm.work], slots: 1, codes }
        const { faults, fleet, store } = yield* World.withHost(options)
        yield* Effect.forEach(numbers(8), (n) => fleet.submit(work, n, { maxRetries: 9 }))
        yield* TestClock.adjust("6 seconds")
        assert.strictEqual(scripted.starts().length, 5)
        const before = { peeks: faults.calls("jobs"), commits: faults.calls("commit") }
        yield* TestClock.adjust("28 seconds")
        assert.strictEqual(scripted.starts().length, 5, "nothing starts while it is open")
        assert.isBelow(faults.calls("jobs") - before.peeks, 20)
        assert.isBelow(faults.calls("commit") - before.commits, 3)
        const stored = yield* store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 99 })
        assert.strictEqual(
          stored.reduce((sum, { job }) => sum + job.retryCount, 0),
          5
        )
        assert.isTrue(stored.every(({ job }) => job.state === "PENDING" || job.state === "RETRY_SCHEDULED"))
        const { breakers } = yield* fleet.snapshot
        assert.deepStrictEqual(breakers, [
          { workflowType: "work", state: "open", openedAt: 5_000, probeAt: 35_000, failures: 5 }
        ])
        const [banked] = yield* store.records({ kind: "banks", job: null, after: 0, limit: 1 })
        assert.deepInclude(JSON.parse(banked?.row.bank ?? "").breakers[0], {
          workflow_type: "work",
          probe_at: 35_000
        })
        assert.deepStrictEqual(yield* story(store), ["breaker_open:attempts_failing"])
      })
  )

  it.effect(
    "sends one probe; its failure opens the breaker again, its success closes it, and the rest start one by one",
    () =>
      Effect.gen(function* () {
        const { scripted, weather, work } = stormy()
        const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 4, codes })
        const jobs = yield* Effect.forEach(numbers(12), (n) => fleet.submit(work, n, { maxRetries: 9 }))
        yield* TestClock.adjust("10 seconds")
        const before = scripted.starts().length
        yield* TestClock.adjust("23500 millis")
        assert.strictEqual(scripted.starts().length, before + 1, "one probe, and slots stay empty beside it")
        assert.strictEqual((yield* fleet.snapshot).breakers[0]?.state, "open")
        weather.bad = false
        yield* TestClock.adjust("30 seconds")
        yield* scripted.started(before + 2)
        assert.strictEqual((yield* fleet.snapshot).breakers[0]?.state, "half_open")
        assert.strictEqual(scripted.living(), 1)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual((yield* fleet.snapshot).breakers, [])
        assert.strictEqual(scripted.living(), 2, "not all in one instant")
        yield* TestClock.adjust("1 minute")
        for (const [index, job] of jobs.entries()) assert.strictEqual(yield* job.result, index + 1)
        assert.deepStrictEqual(yield* story(store), [
          "breaker_open:attempts_failing",
          "breaker_half_open:probe_started",
          "breaker_open:probe_failed",
          "breaker_half_open:probe_started",
          "breaker_closed:probe_succeeded"
        ])
      })
  )

  it.effect("opens the breaker at any instant, the first of all time too", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(() => [fail("EXT_DOWN")])
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 5, codes })
      yield* Effect.forEach(numbers(9), (n) => fleet.submit(work, n, { maxRetries: 9 }))
      while ((yield* fleet.snapshot).breakers.length === 0) yield* Effect.yieldNow
      assert.deepInclude((yield* fleet.snapshot).breakers[0], { state: "open", openedAt: 0 })
      const before = scripted.starts().length
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(scripted.starts().length, before)
    })
  )

  it.effect("of one workflow holds up no other", () =>
    Effect.gen(function* () {
      const { work } = stormy()
      const calm = scriptedWorkflow(({ n }) => [succeed(n)], { name: "calm" })
      const { fleet } = yield* World.withHost({ workflows: [work, calm.work], slots: 2, codes })
      yield* Effect.forEach(numbers(8), (n) => fleet.submit(work, n, { priority: 9, maxRetries: 9 }))
      yield* TestClock.adjust("10 seconds")
      const job = yield* fleet.submit(calm.work, 5)
      assert.strictEqual(yield* job.result, 5)
    })
  )

  it.effect("of permanent errors, or of holds that the outside asked for, is none", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) =>
        n % 2 === 0 ? [fail("DQ_BAD")] : [fail("EXT_LIMITED", { retryAfterMillis: 60_000 })]
      )
      const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 3 })
      yield* Effect.forEach(numbers(20), (n) => fleet.submit(work, n))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(scripted.starts().length, 20)
      assert.deepStrictEqual(yield* story(store), [])
      const held = yield* store.jobs({
        by: "page",
        state: "RETRY_SCHEDULED",
        workflow: null,
        after: 0,
        limit: 99
      })
      assert.strictEqual(held.length, 10)
      for (const { job } of held) {
        assert.deepStrictEqual([job.retryCount, job.agent?.restarts], [0, []])
        assert.isAtLeast(job.runAt, 60_000, "never before the hint")
      }
      assert.strictEqual(new Set(held.map(({ job }) => job.runAt)).size, 10, "and spread after it")
    })
  )
})

describe("an open breaker", () => {
  it.effect("survives its host, with its probe's time", () =>
    Effect.gen(function* () {
      const { scripted, weather, work } = stormy()
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1, codes })
      yield* Effect.forEach(numbers(6), (n) => first.fleet.submit(work, n, { maxRetries: 9 }))
      yield* TestClock.adjust("6 seconds")
      yield* first.crash()
      const second = yield* world.host({ workflows: [work], slots: 1, codes })
      weather.bad = false
      yield* TestClock.adjust("28 seconds")
      assert.strictEqual(scripted.starts().length, 5)
      assert.deepInclude((yield* second.fleet.snapshot).breakers[0], { state: "open", probeAt: 35_000 })
      yield* TestClock.adjust("1500 millis")
      assert.strictEqual(scripted.starts().length, 6)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(
        (yield* second.fleet.snapshot).tally.jobs.find(({ state }) => state === "COMPLETED")?.count,
        6
      )
    })
  )

  it.effect("is the fleet's: another host starts nothing either, and of all hosts one sends a probe", () =>
    Effect.gen(function* () {
      // due between two looks at the store, so that no host has heard of another one's probe by chance
      const { scripted, weather, work } = stormy({ breaker: { probe: "30050 millis" } })
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 2, codes })
      yield* Effect.forEach(numbers(10), (n) => first.fleet.submit(work, n, { maxRetries: 9 }))
      yield* TestClock.adjust("4 seconds")
      const second = yield* world.host({ workflows: [work], slots: 2, codes })
      const third = yield* world.host({ workflows: [work], slots: 2, codes })
      const before = scripted.starts().length
      yield* TestClock.adjust("25 seconds")
      assert.strictEqual(scripted.starts().length, before)
      assert.strictEqual((yield* second.fleet.snapshot).breakers.length, 1)
      weather.bad = false
      yield* TestClock.adjust("4500 millis")
      assert.strictEqual(scripted.starts().length, before + 1)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual((yield* third.fleet.snapshot).breakers, [])
      const notes = ofBreakers(yield* eventsOf(world.store))
      assert.strictEqual(notes.filter(({ event }) => event === "breaker_half_open").length, 1)
    })
  )

  it.effect("waits for no probe that was cancelled, or whose host is gone: another one goes", () =>
    Effect.gen(function* () {
      const weather = { bad: true }
      const { scripted, work } = scriptedWorkflow(({ n }) =>
        weather.bad ? [sleep(1_000), fail("EXT_DOWN")] : [waitFor(`${n}`), succeed(n)]
      )
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1, codes })
      yield* Effect.forEach(numbers(8), (n) => first.fleet.submit(work, n, { maxRetries: 9 }))
      yield* TestClock.adjust("6 seconds")
      weather.bad = false
      yield* TestClock.adjust("30 seconds")
      const probe = yield* scripted.started(6)
      yield* first.fleet.cancel(probe.jobId)
      yield* TestClock.adjust("1 second")
      const next = yield* scripted.started(7)
      assert.notStrictEqual(next.jobId, probe.jobId)
      const second = yield* world.host({ workflows: [work], slots: 3, codes })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(scripted.starts().length, 7)
      yield* first.crash()
      // its next renewal, which adopts
      yield* TestClock.adjust("3 seconds")
      yield* scripted.started(8)
      assert.strictEqual(scripted.starts().length, 8, "and one alone")
      yield* Effect.forEach(numbers(8), (n) => scripted.release(`${n}`))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual((yield* second.fleet.snapshot).breakers, [])
      assert.includeMembers(
        [...(yield* story(world.store))],
        ["breaker_open:probe_inconclusive", "breaker_open:probe_lost", "breaker_closed:probe_succeeded"]
      )
    })
  )

  it.effect("closes behind a probe that works on and on", () =>
    Effect.gen(function* () {
      const weather = { bad: true }
      const { scripted, work } = scriptedWorkflow(
        ({ n }) => (weather.bad ? [sleep(1_000), fail("EXT_DOWN")] : [waitFor("done"), succeed(n)]),
        { silence: "1 hour" }
      )
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 3, codes })
      yield* Effect.forEach(numbers(6), (n) => fleet.submit(work, n, { maxRetries: 9 }))
      yield* TestClock.adjust("10 seconds")
      weather.bad = false
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(scripted.living(), 1)
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual(scripted.living(), 3)
      yield* scripted.release("done")
      yield* TestClock.adjust("10 seconds")
    })
  )
})

describe("the backoff", () => {
  it.effect("begins anew after an attempt that has worked for five minutes", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ attempt }) =>
        attempt === 4 ? [sleep(300_000), fail("EXT_DOWN")] : [sleep(1_000), fail("EXT_DOWN")]
      )
      const { fleet, store } = yield* World.withHost({
        workflows: [work],
        codes: [{ code: "EXT_DOWN", maxAttempts: 9, backoffBaseSeconds: 1, backoffMultiplier: 10, jitter: 0 }]
      })
      yield* fleet.submit(work, 1, { maxRetries: 9 })
      yield* TestClock.adjust("20 minutes")
      const retries = yield* store.records({ kind: "retries", job: 1, after: 0, limit: 99 })
      assert.deepStrictEqual(
        retries.slice(0, 4).map(({ row }) => row.delay_ms),
        [1_000, 10_000, 100_000, 1_000]
      )
    })
  )

  it.effect("doesn't begin anew after an agent that was silent for as long", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(() => [waitFor("never")])
      const codes = [
        { code: "ORCH_RETRYABLE_STREAM_SILENCE", backoffBaseSeconds: 1, backoffMultiplier: 10, jitter: 0 }
      ]
      const { fleet, store } = yield* World.withHost({ workflows: [work], codes })
      yield* fleet.submit(work, 1)
      yield* TestClock.adjust("11 minutes")
      const retries = yield* store.records({ kind: "retries", job: 1, after: 0, limit: 99 })
      assert.deepStrictEqual(
        retries.map(({ row }) => row.delay_ms),
        [1_000, 10_000]
      )
    })
  )
})
