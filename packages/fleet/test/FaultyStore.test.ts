// The fake store is a store while nothing is to go wrong, and goes wrong as planned.
import { assert, describe, it } from "@effect/vitest"
import type { StoreDriver } from "@muster/core"
import { FaultyStore, storeSuite } from "@muster/core/testing"
import { Effect, Fiber } from "effect"
import { makeDriver } from "../src/adapters/MemoryStore.ts"

storeSuite(
  "FaultyStore without faults",
  Effect.sync(() => {
    const driver = makeDriver()
    return {
      driver: FaultyStore.make(driver).driver,
      reopen: Effect.sync(() => FaultyStore.make(driver.reopen()).driver)
    }
  })
)

const enlist = (driver: StoreDriver) => driver.enlist({ identity: "{}", at: 0 })
const hosts = (driver: StoreDriver) =>
  Effect.map(driver.records({ kind: "hosts", job: null, after: 0, limit: 10 }), (found) => found.length)

describe("FaultyStore", () => {
  it.effect("fails the call that was named, before it took effect or after", () =>
    Effect.gen(function* () {
      const { calls, driver, inject } = FaultyStore.make(makeDriver())
      inject({ operation: "enlist", nth: 2, error: "busy" })
      inject({ operation: "enlist", nth: 3, error: "broken", when: "after" })
      yield* enlist(driver)
      assert.propertyVal(yield* Effect.flip(enlist(driver)), "_tag", "ORCH_STORE_BUSY")
      assert.strictEqual(yield* hosts(driver), 1)
      assert.propertyVal(yield* Effect.flip(enlist(driver)), "_tag", "ORCH_STORE_BROKEN")
      assert.strictEqual(yield* hosts(driver), 2)
      yield* enlist(driver)
      assert.strictEqual(calls("enlist"), 4)
    })
  )

  it.effect("fails as many calls as it was told, and no others", () =>
    Effect.gen(function* () {
      const { driver, inject } = FaultyStore.make(makeDriver())
      inject({ operation: "enlist", error: "busy", times: 2 })
      yield* Effect.flip(enlist(driver))
      assert.strictEqual(yield* hosts(driver), 0)
      yield* Effect.flip(enlist(driver))
      yield* enlist(driver)
      assert.strictEqual(yield* hosts(driver), 1)
    })
  )

  it.effect("holds a call at a gate, before or after it took effect", () =>
    Effect.gen(function* () {
      const { called, driver, inject, release } = FaultyStore.make(makeDriver())
      inject({ operation: "enlist", gate: "in", when: "before" })
      inject({ operation: "enlist", gate: "out", when: "after" })
      const fiber = yield* Effect.forkChild(enlist(driver))
      yield* called("enlist", 1)
      assert.strictEqual(yield* hosts(driver), 0)
      yield* release("in")
      yield* Effect.yieldNow
      assert.strictEqual(yield* hosts(driver), 1)
      yield* release("out")
      yield* Fiber.join(fiber)
    })
  )

  it.effect("lets nothing in while it is frozen", () =>
    Effect.gen(function* () {
      const data = makeDriver()
      const { called, driver, freeze, thaw } = FaultyStore.make(data)
      yield* freeze
      const fiber = yield* Effect.forkChild(enlist(driver))
      yield* called("enlist", 1)
      assert.strictEqual(yield* hosts(data), 0)
      yield* thaw
      yield* Fiber.join(fiber)
      assert.strictEqual(yield* hosts(driver), 1)
    })
  )
})
