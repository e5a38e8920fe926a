/**
 * The Store contract in memory: for tests, simulation and fleets that need not outlive their process. Equal units give equal answers; the
 * only number that isn't counted is the store's id, which its maker names.
 */
import { Store, type StoreFailure } from "@muster/core"
import { Effect, type Layer } from "effect"
import { MemoryData } from "./memory/MemoryData.ts"
import { driverOf, type MemoryDriver } from "./memory/MemoryDriver.ts"

export type { MemoryDriver } from "./memory/MemoryDriver.ts"

/** A new, empty store. `id` is six characters of a-z0-9, the head of every job's id; `memory` unless given. */
export const makeDriver = (options: { readonly id?: string } = {}): MemoryDriver =>
  driverOf(new MemoryData(options.id ?? "memory"))

/** A new, empty store at each run. */
export const driver: Effect.Effect<MemoryDriver> = Effect.sync(() => makeDriver())

/** Fills the seat of the store with memory, empty at first. Whoever opens the same layer again has another handle of the same store. */
export const layer = (options: { readonly id?: string } = {}): Layer.Layer<Store, StoreFailure> => {
  const first = makeDriver(options)
  return Store.layerFromDriver(Effect.sync(() => first.reopen()))
}
