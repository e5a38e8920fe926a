// A store need not tell a host of its own writes (SQLite's data_version doesn't): what follows from them must not depend on it.
import { assert, describe, it } from "@effect/vitest"
import { type Lander, Store } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { Digest } from "effect/crypto"
import { TestClock } from "effect/testing"
import { Documents } from "../../src/adapters/documents/Documents.ts"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { HostProbe } from "../../src/adapters/process/HostProbe.ts"
import { ProcessReaper } from "../../src/adapters/process/ProcessReaper.ts"
import { Fleet } from "../../src/Fleet.ts"
import type { FleetOptions } from "../../src/FleetOptions.ts"
import { numbers, scriptedWorkflow } from "./Scripted.ts"

const { fail, succeed, waitFor } = ScriptedRunner

const machine = Layer.mergeAll(
  Layer.succeed(HostProbe, {
    self: Effect.succeed({ machine: "test", boot_id: "boot", pid: 1, start_time: "1" }),
    probe: () => Effect.succeed("unknown")
  }),
  Layer.succeed(ProcessReaper, {
    find: () => Effect.succeed([]),
    reap: () => Effect.succeed({ killed: [], left: [] })
  }),
  Layer.succeed(Documents, { resolve: (references) => Effect.succeed(references.map(() => "resolved")) })
)

/** A single host, whose store says that nobody else has written. */
const alone = (options: FleetOptions) =>
  Effect.gen(function* () {
    const driver = { ...MemoryStore.makeDriver(), changed: Effect.succeed(0) }
    const store = Store.layerFromDriver(Effect.succeed(driver))
    const context = yield* Layer.build(
      Fleet.layerNoDeps({ seed: 1, ...options }).pipe(
        Layer.provideMerge(store),
        Layer.provide([machine, Digest.layerWebCrypto])
      )
    )
    return { fleet: Context.get(context, Fleet), store: Context.get(context, Store) }
  })

describe("a host that hears nothing of its own writes", () => {
  it.effect("ends its drain when its last agent has ended", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
      const { fleet } = yield* alone({ workflows: [work], slots: 1 })
      yield* Effect.forEach(numbers(2), (n) => fleet.submit(work, n))
      yield* scripted.started(1)
      const draining = yield* Effect.forkChild(fleet.drain(), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      assert.isUndefined(draining.pollUnsafe())
      yield* scripted.release("1")
      yield* TestClock.adjust("1 second")
      assert.propertyVal(yield* Fiber.join(draining), "outcome", "drained")
      yield* scripted.started(2)
    })
  )

  it.effect("pauses, resumes and scales as it is told", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ n }) => [waitFor(`${n}`), succeed(n)])
      const { fleet } = yield* alone({ workflows: [work], slots: 1 })
      yield* fleet.pause()
      yield* Effect.forEach(numbers(3), (n) => fleet.submit(work, n))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(scripted.starts().length, 0)
      assert.propertyVal(yield* fleet.resume(), "outcome", "resumed")
      yield* scripted.started(1)
      yield* TestClock.adjust("2 seconds")
      yield* fleet.scale(2)
      yield* scripted.started(2)
    })
  )

  it.effect("settles a cancel that came too late when the landing is home", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const landing = yield* Deferred.make<void>()
      const lander: Lander = {
        name: "slow",
        land: () =>
          Deferred.succeed(landing, undefined).pipe(
            Effect.andThen(Deferred.await(gate)),
            Effect.as({ _tag: "Landed", reference: "home" } as const)
          ),
        check: () => Effect.succeed("unknown")
      }
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { lander })
      const { fleet, store } = yield* alone({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Deferred.await(landing)
      assert.propertyVal(yield* Effect.flip(fleet.cancel(job.jobId)), "_tag", "ORCH_CANCEL_TOO_LATE")
      yield* Deferred.succeed(gate, undefined)
      yield* job.result
      yield* TestClock.adjust("1 second")
      const [intent] = yield* store.records({ kind: "intents", job: 1, after: 0, limit: 1 })
      assert.strictEqual(intent?.row.outcome, "too_late")
    })
  )

  it.effect("starts what it has replayed, and cancels what waits", () =>
    Effect.gen(function* () {
      const { scripted, work } = scriptedWorkflow(({ attempt, jobId }) =>
        jobId === "memory-1" && attempt === 1 ? [fail("DQ_BAD")] : [waitFor("never")]
      )
      const { fleet } = yield* alone({ workflows: [work], slots: 1 })
      const job = yield* fleet.submit(work, 1)
      yield* Effect.flip(job.result)
      const replayed = yield* fleet.replay(job.jobId)
      yield* scripted.started(2)
      const other = yield* fleet.submit(work, 2)
      for (const { jobId } of [other, replayed]) {
        const cancelling = yield* Effect.forkChild(fleet.cancel(jobId), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(cancelling)
      }
    })
  )
})
