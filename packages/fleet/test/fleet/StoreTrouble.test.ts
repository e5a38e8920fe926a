// A store that fails in the middle: answers that are lost, disks that are full, rows that it won't take, fences that fall while a host sleeps.
import { assert, describe, it } from "@effect/vitest"
import type { Lander } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves, notes } from "./Chains.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, succeed, waitFor } = ScriptedRunner

const lander = (landings: Array<string>): Lander => ({
  name: "repository",
  land: ({ assignment }) =>
    Effect.sync(() => {
      landings.push(assignment.jobId)
      return { _tag: "Landed", reference: null } as const
    }),
  check: () => Effect.succeed("absent")
})

describe("a commit whose answer is lost", () => {
  it.effect(
    "and that happened is not made again: its job ends, its caller is answered, its host lives on (R10)",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
        const { faults, fleet, log, store } = yield* World.withHost({ workflows: [work] })
        const before = faults.calls("commit")
        faults.inject({ error: "broken", when: "after" })
        const submitting = yield* Effect.forkChild(fleet.submit(work, 1), { startImmediately: true })
        yield* faults.called("commit", before + 1)
        yield* TestClock.adjust("1 second")
        const job = yield* Fiber.join(submitting)
        assert.isFalse(job.duplicate)
        yield* scripted.started(1)
        faults.inject({ error: "broken", when: "after" })
        yield* scripted.release("open")
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* job.result, 1)
        assert.strictEqual(scripted.starts().length, 1)
        assert.deepStrictEqual(moves(yield* eventsOf(store), "job"), [
          "submit:submitted",
          "validate:slot_free",
          "accept:payload_valid",
          "complete:landed"
        ])
        assert.isNull((yield* fleet.snapshot).trouble)
        assert.strictEqual(log.filter((line) => line.includes("answers again")).length, 2)
      })
  )

  it.effect("and that didn't happen is decided again", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      faults.inject({ error: "broken", times: 3 })
      yield* scripted.release("open")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* job.result, 1)
      const completed = (yield* eventsOf(store)).filter(({ event }) => event === "complete")
      assert.strictEqual(completed.length, 1)
    })
  )

  it.effect("is asked about until the store says what became of it", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      faults.inject({ error: "broken", when: "after" })
      faults.inject({ operation: "renew", error: "broken", times: 4 })
      yield* scripted.release("open")
      yield* TestClock.adjust("1 second")
      assert.isNotNull((yield* fleet.snapshot).trouble)
      assert.strictEqual((yield* store.job(job.jobId)).job.state, "COMPLETED")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* job.result, 1)
      assert.isNull((yield* fleet.snapshot).trouble)
    })
  )

  it.effect("tells duplicates from new jobs, as its answer would have", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { faults, fleet } = yield* World.withHost({ workflows: [work] })
      yield* fleet.submit(work, 1, { idempotencyKey: "old" })
      yield* TestClock.adjust("1 second")
      const before = faults.calls("commit")
      faults.inject({ error: "broken", when: "after" })
      const submitting = yield* Effect.forkChild(
        fleet.submitAll([
          { workflowType: "work", payload: 2, idempotencyKey: "new" },
          { workflowType: "work", payload: 2, idempotencyKey: "new" },
          { workflowType: "work", payload: 1, idempotencyKey: "old" },
          { workflowType: "work", payload: 9, idempotencyKey: "old" }
        ]),
        { startImmediately: true }
      )
      yield* faults.called("commit", before + 1)
      yield* TestClock.adjust("1 second")
      const answers = yield* Fiber.join(submitting)
      assert.deepStrictEqual(
        answers.map(({ _tag }) => _tag),
        ["Inserted", "Duplicate", "Duplicate", "Conflict"]
      )
      assert.strictEqual(new Set(answers.map(({ jobId }) => jobId)).size, 2)
    })
  )

  it.effect("starts no job that another host has won in it", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 1 })
      const second = yield* world.host({ workflows: [work], slots: 1 })
      yield* TestClock.adjust("1 second")
      // The first peeks, and is held up on its way to the store until the second has won the job; then its answer is lost.
      first.faults.inject({ gate: "peeked" })
      first.faults.inject({ error: "broken", when: "after" })
      second.faults.inject({ operation: "changed", gate: "second" })
      yield* world.store.commit({
        fence: null,
        at: 0,
        inserts: [
          {
            workflowType: "work",
            idempotencyKey: "a",
            payloadFingerprint: "f",
            payload: "1",
            priority: 0,
            runAt: 0,
            maxRetries: 0,
            correlationId: null,
            traceContext: null,
            replayOf: null,
            actor: "operator:ana"
          }
        ]
      })
      yield* TestClock.adjust("150 millis")
      assert.strictEqual(scripted.starts().length, 0)
      yield* second.faults.release("second")
      yield* scripted.started(1)
      yield* first.faults.release("peeked")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(scripted.starts().length, 1)
      assert.strictEqual((yield* first.fleet.snapshot).usedSlots, 0)
      yield* scripted.release("open")
      yield* TestClock.adjust("1 second")
      const [found] = yield* world.store.jobs({ by: "seq", seqs: [1], bodies: false })
      assert.strictEqual(found?.job.state, "COMPLETED")
    })
  )
})

describe("a store that doesn't answer", () => {
  it.effect(
    "suspends the host and kills nothing: it is told aloud once, shown, and over when it answers",
    () =>
      Effect.gen(function* () {
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
        const { faults, fleet, log } = yield* World.withHost({ workflows: [work], slots: 2 })
        yield* Effect.forEach(numbers(3), (n) => fleet.submit(work, n))
        yield* scripted.started(2)
        for (const operation of ["commit", "renew", "jobs", "changed"] as const)
          faults.inject({ operation, error: "broken", times: 10_000 })
        yield* scripted.release("1")
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(scripted.starts().length, 2, "nothing is dispatched")
        assert.strictEqual(scripted.living(), 1, "nothing is killed")
        assert.isBelow(faults.calls("commit") + faults.calls("changed") + faults.calls("renew"), 800)
        const told = log.filter((line) => line.includes("the store doesn't answer"))
        assert.isAtLeast(told.length, 2)
        assert.isBelow(told.length, 25)
        // its tally still answers
        const { trouble } = yield* fleet.snapshot
        assert.deepInclude(trouble, { detail: "as the test has planned" })
        assert.isBelow(trouble?.since ?? 1e9, 4_000)
      })
  )

  it.effect("goes on where it stood when the disk has room again", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
      const { faults, fleet } = yield* World.withHost({ workflows: [work], slots: 2 })
      const jobs = yield* Effect.forEach(numbers(3), (n) => fleet.submit(work, n))
      yield* scripted.started(2)
      faults.inject({ error: "broken", times: 12 })
      faults.inject({ operation: "renew", error: "broken", times: 12 })
      yield* Effect.forEach(numbers(3), (n) => scripted.release(`${n}`))
      const late = yield* Effect.forkChild(fleet.submit(work, 9))
      yield* TestClock.adjust("3 minutes")
      for (const [index, job] of jobs.entries()) assert.strictEqual(yield* job.result, index + 1)
      yield* Fiber.join(late)
      assert.isNull((yield* fleet.snapshot).trouble)
      yield* scripted.release("9")
      yield* TestClock.adjust("1 second")
    })
  )

  it.effect("to a renewal alone holds new work and landings back until it answers (R21)", () =>
    Effect.gen(function* () {
      const landings: Array<string> = []
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)], {
        lander: lander(landings)
      })
      const { faults, fleet } = yield* World.withHost({ workflows: [work], slots: 2 })
      const first = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      faults.inject({ operation: "renew", error: "broken", times: 6 })
      yield* TestClock.adjust("3500 millis")
      assert.isNotNull((yield* fleet.snapshot).trouble)
      yield* scripted.release("1")
      yield* scripted.release("2")
      const second = yield* fleet.submit(work, 2)
      yield* TestClock.adjust("250 millis")
      assert.deepStrictEqual([scripted.starts().length, landings], [1, []])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual([yield* first.result, yield* second.result], [1, 2])
      assert.strictEqual(landings.length, 2)
      assert.isNull((yield* fleet.snapshot).trouble)
    })
  )

  it.effect("doesn't hold up the end of the host", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("never"), succeed(n)])
      const world = yield* World.make
      const { faults, fleet, stop } = yield* world.host({ workflows: [work], stop: "10 seconds" })
      yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      for (const operation of ["commit", "renew", "fence"] as const)
        faults.inject({ operation, error: "broken", times: 10_000 })
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("40 seconds")
      assert.isDefined(stopping.pollUnsafe())
      yield* scripted.until(() => scripted.living() === 0)
    })
  )
})

describe("a store that refuses what it is given", () => {
  it.effect("costs only the submission that it refuses", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const { faults, fleet, store } = yield* World.withHost({ workflows: [work] })
      yield* TestClock.adjust("1 second")
      faults.inject({
        error: "refused",
        times: 999,
        of: ({ inserts }) => inserts.some(({ payload }) => payload === "2")
      })
      const error = yield* Effect.flip(
        fleet.submitAll(numbers(3).map((n) => ({ workflowType: "work", payload: n })))
      )
      assert.deepInclude(error, { _tag: "ORCH_STORE_BROKEN", refused: true })
      yield* TestClock.adjust("1 second")
      const stored = yield* store.jobs({ by: "page", state: null, workflow: null, after: 0, limit: 9 })
      assert.strictEqual(stored.length, 2)
      assert.isNull((yield* fleet.snapshot).trouble, "a refusal is an answer")
      const job = yield* fleet.submit(work, 4)
      assert.strictEqual(yield* job.result, 4)
    })
  )

  it.effect("ends the host when it refuses the host's own decision again and again; nothing spins", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
      const world = yield* World.make
      const { faults, fleet } = yield* world.host({ workflows: [work], slots: 2 })
      yield* Effect.forEach(numbers(2), (n) => fleet.submit(work, n))
      yield* scripted.started(2)
      const before = faults.calls("commit")
      faults.inject({ error: "refused", times: 10_000 })
      yield* scripted.release("1")
      yield* TestClock.adjust("1 second")
      const ended = yield* Effect.flip(fleet.ended)
      assert.deepInclude(ended, { _tag: "ORCH_STORE_BROKEN", refused: true })
      assert.include(ended.message, "refuses")
      assert.isBelow(faults.calls("commit") - before, 10)
      yield* scripted.until(() => scripted.living() === 0)
      const second = yield* world.host({ workflows: [work], slots: 2 })
      yield* Effect.forEach(numbers(2), (n) => scripted.release(`${n}`))
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(
        (yield* second.fleet.snapshot).tally.jobs.find(({ state }) => state === "COMPLETED")?.count,
        2
      )
    })
  )
})

describe("a host that slept beyond its lease", () => {
  it.effect(
    "asks whether it still stands before it carries anything out, and lands nothing if it doesn't (R20)",
    () =>
      Effect.gen(function* () {
        const landings: Array<string> = []
        const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)], {
          lander: lander(landings)
        })
        const world = yield* World.make
        const { faults, fleet } = yield* world.host({ workflows: [work] })
        yield* fleet.submit(work, 1)
        yield* scripted.started(1)
        // The commit that begins the landing takes effect; before its answer is heard the host sleeps, and is taken for lost.
        faults.inject({ gate: "asleep", when: "after" })
        const committed = yield* Effect.forkChild(faults.called("commit", faults.calls("commit") + 1))
        yield* scripted.release("open")
        yield* Fiber.join(committed)
        yield* world.suspend(20_000)
        yield* world.store.fence({ host: 1, epoch: 1, beat: null, as: "fenced", at: 0 })
        yield* faults.release("asleep")
        assert.propertyVal(yield* Effect.flip(fleet.ended), "_tag", "ORCH_HOST_FENCED")
        assert.deepStrictEqual(landings, [])
        assert.isTrue(world.log.some((line) => line.includes("the host has come to its end")))
      })
  )

  it.effect("goes on if nobody has taken it for lost", () =>
    Effect.gen(function* () {
      const landings: Array<string> = []
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)], {
        lander: lander(landings)
      })
      const world = yield* World.make
      const { faults, fleet } = yield* world.host({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      faults.inject({ gate: "asleep", when: "after" })
      const committed = yield* Effect.forkChild(faults.called("commit", faults.calls("commit") + 1))
      yield* scripted.release("open")
      yield* Fiber.join(committed)
      const renewals = faults.calls("renew")
      yield* world.suspend(20_000)
      yield* faults.release("asleep")
      assert.strictEqual(yield* job.result, 1)
      assert.strictEqual(landings.length, 1)
      assert.isAbove(faults.calls("renew"), renewals)
    })
  )

  it.effect("begins no second landing after its fence fell during the first", () =>
    Effect.gen(function* () {
      const world = yield* World.make
      let landings = 0
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)], {
        lander: {
          name: "repository",
          land: () =>
            Effect.gen(function* () {
              landings++
              yield* world.suspend(20_000)
              yield* world.store.fence({ host: 1, epoch: 1, beat: null, as: "fenced", at: 0 })
              return { _tag: "Conflict", detail: "it has moved" } as const
            }),
          check: () => Effect.succeed("absent")
        }
      })
      const { fleet } = yield* world.host({ workflows: [work] })
      yield* fleet.submit(work, 1)
      yield* TestClock.adjust("5 seconds")
      assert.propertyVal(yield* Effect.flip(fleet.ended), "_tag", "ORCH_HOST_FENCED")
      assert.strictEqual(landings, 1)
    })
  )
})

describe("a lease", () => {
  it.effect("that its renewals don't keep is refused at the start", () =>
    Effect.gen(function* () {
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)])
      const world = yield* World.make
      const lease = { lease: "4 seconds", renewal: "3 seconds" } as const
      const exit = yield* Effect.exit(world.host({ workflows: [work], lease }))
      assert.include(String(exit), "ORCH_CONFIG_INVALID")
    })
  )

  it.effect("is as long as the host says", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
        incarnation === 1 ? [waitFor("never")] : [succeed(n)]
      )
      const world = yield* World.make
      const lease = { lease: "1 second", renewal: "200 millis" } as const
      const first = yield* world.host({ workflows: [work], lease })
      const { jobId } = yield* first.fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* first.crash("unseen")
      const second = yield* world.host({ workflows: [work], lease })
      yield* TestClock.adjust("900 millis")
      assert.strictEqual(scripted.starts().length, 1)
      yield* TestClock.adjust("500 millis")
      yield* scripted.started(2)
      assert.strictEqual((yield* second.fleet.await(jobId)).job.state, "COMPLETED")
    })
  )
})

describe("many changes at once", () => {
  it.effect("are cut: no commit takes more than a thousand (R15)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor("open"), succeed(n)])
      const world = yield* World.make
      const { faults, fleet, stop } = yield* world.host({ workflows: [work], slots: 1_200 })
      yield* fleet.submitAll(numbers(1_200).map((n) => ({ workflowType: "work", payload: n })))
      yield* TestClock.adjust("1 second")
      yield* scripted.started(1_200)
      const stopping = yield* Effect.forkChild(stop)
      yield* TestClock.adjust("31 seconds")
      yield* Fiber.join(stopping)
      const handed = yield* world.store.jobs({
        by: "page",
        state: "RETRY_SCHEDULED",
        workflow: null,
        after: 0,
        limit: 9_999
      })
      assert.strictEqual(handed.length, 1_200)
      assert.isAtMost(faults.largest().changes, 1_000)
      assert.isAtMost(faults.largest().inserts, 1_000)
    })
  )
})

describe("rows that can't be decoded", () => {
  it.effect("hide no others, walk to their letters, and come up once (R18)", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ attempt, n }) =>
        attempt === 1 ? [fail("EXT_FLAKY")] : [succeed(n)]
      )
      const world = yield* World.make
      const { faults, fleet } = yield* world.host({ workflows: [work], slots: 1 })
      const bad = yield* fleet.submit(work, 1, { priority: 9 })
      const good = yield* fleet.submit(work, 2)
      yield* scripted.started(1)
      faults.damage((row) =>
        row.seq === 1 && row.agent_state === "abandoned" ? { ...row, restarts: "?" } : row
      )
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* good.result, 2)
      const [letter] = yield* world.store.records({ kind: "letters", job: 1, after: 0, limit: 1 })
      assert.deepInclude(letter?.row, { failure_error_code: "ORCH_STATE_MACHINE_INVARIANT_BROKEN" })
      assert.deepInclude(JSON.parse(letter?.row.raw ?? ""), { seq: 1, restarts: "?" })
      assert.propertyVal(yield* Effect.flip(bad.result), "_tag", "JobFailed")
      assert.deepStrictEqual(notes(yield* eventsOf(world.store)), [])
    })
  )

  it.effect("of a lost host are adopted to their letters; one of which nothing is known is noted once", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ incarnation, n }) =>
        incarnation === 1 ? [waitFor("never")] : [succeed(n)]
      )
      const world = yield* World.make
      const first = yield* world.host({ workflows: [work], slots: 3 })
      yield* Effect.forEach(numbers(3), (n) => first.fleet.submit(work, n))
      yield* scripted.started(3)
      yield* first.crash()
      const second = yield* world.host({ workflows: [work], slots: 3 }, (faults) =>
        faults.damage((row) =>
          row.seq === 1 && row.state === "PROCESSING"
            ? { ...row, phase: "lunch" }
            : row.seq === 2
              ? { ...row, state: "LIMBO" }
              : row
        )
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* second.fleet.await("memory-3")).job.state, "COMPLETED")
      const [found] = yield* world.store.jobs({ by: "seq", seqs: [1], bodies: false })
      assert.deepStrictEqual([found?.job.state, found?.job.agent?.state], ["DEAD_LETTERED", "tombstoned"])
      const damaged = notes(yield* eventsOf(world.store)).filter(({ event }) => event === "damaged_row")
      assert.deepStrictEqual(
        damaged.map(({ jobId }) => jobId),
        ["memory-2"]
      )
    })
  )
})
