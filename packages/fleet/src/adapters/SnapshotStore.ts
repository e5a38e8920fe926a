/**
 * The Store contract on any medium that can keep one text: the whole store is in memory, and each commit saves all of it before it is
 * answered. For fleets of some thousand jobs on a medium that is no database; one that is gets a driver of its own.
 */
import { Store, StoreBroken, type StoreDriver, type StoreFailure } from "@muster/core"
import { Effect, type Layer, Random, Semaphore } from "effect"
import { MemoryData } from "./memory/MemoryData.ts"
import { driverOf } from "./memory/MemoryDriver.ts"
import { restored, snapshotOf } from "./memory/Snapshot.ts"

/**
 * What an author writes. Each operation fails with `ORCH_STORE_BUSY` when somebody else holds the medium (nothing happened, it is
 * asked again), with `ORCH_STORE_BROKEN` when the medium is at fault.
 */
export interface Medium {
  /** For people: a path. */
  readonly name: string
  /** The text that was saved last, whole; null before the first. */
  readonly load: Effect.Effect<string | null, StoreFailure>
  /**
   * Puts the text in the place of the former one, at once or not at all, and answers when it is durable. It may be called only within
   * `alone`. A failure may leave either text: the next operation loads what is there.
   */
  readonly save: (text: string) => Effect.Effect<void, StoreFailure>
  /** Differs after each save, whoever has saved, and stays while nobody does. Asked ten times a second and before each operation. */
  readonly stamp: Effect.Effect<string, StoreFailure>
  /**
   * Runs the work while nobody else's runs, in this process or another. It can't be interrupted, so a long wait ends with
   * `ORCH_STORE_BUSY`; what a killed process has held is free again.
   */
  readonly alone: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | StoreFailure>
}

interface Held {
  readonly stamp: string
  readonly data: MemoryData
  readonly driver: StoreDriver
}

const digits = "abcdefghijklmnopqrstuvwxyz0123456789"

/** Six characters of a-z0-9, made once a store. */
const newId = Effect.gen(function* () {
  let id = ""
  while (id.length < 6) id += digits.charAt(yield* Random.nextIntBetween(0, digits.length))
  return id
})

const unreadable = (name: string, detail: string, cause?: unknown) =>
  new StoreBroken({
    operation: "open",
    detail: `${name} ${detail}`,
    ...(cause === undefined ? {} : { cause })
  })

const dataOf = Effect.fnUntraced(function* (name: string, text: string | null) {
  if (text === null) return yield* unreadable(name, "is gone")
  const data = yield* Effect.try({
    try: () => restored(text),
    catch: (cause) => unreadable(name, "is no snapshot of a store", cause)
  })
  return data ?? (yield* unreadable(name, "is a snapshot of another format"))
})

/** A handle on the store that the medium keeps; makes an empty one where there is none. */
export const makeDriver = Effect.fnUntraced(function* (medium: Medium) {
  const gate = yield* Semaphore.make(1)
  let held: Held | null = null
  /** How often something was found that this handle has not saved. */
  let found = 0

  const latest = Effect.gen(function* () {
    // before the text: one that is newer than its stamp is loaded once more, one that is older would be kept
    const stamp = yield* medium.stamp
    if (held?.stamp === stamp) return held
    const data = yield* dataOf(medium.name, yield* medium.load)
    found += 1
    held = { stamp, data, driver: driverOf(data) }
    return held
  })
  const save = Effect.fnUntraced(function* (data: MemoryData) {
    // until it is known to be saved it isn't held: what the medium has counts
    held = null
    // a large text takes a while: timers first. And where `alone` doesn't keep others out, the suite sees them come in here
    yield* Effect.yieldNow
    yield* medium.save(snapshotOf(data))
    held = { stamp: yield* medium.stamp, data, driver: driverOf(data) }
  })

  const alone = <A, E>(work: Effect.Effect<A, E>) => Effect.uninterruptible(medium.alone(work))
  const reading = <A, E>(read: (driver: StoreDriver) => Effect.Effect<A, E>) =>
    gate.withPermit(Effect.flatMap(latest, ({ driver }) => read(driver)))
  const writing = <A, E>(write: (driver: StoreDriver) => Effect.Effect<A, E>, always = false) =>
    gate.withPermit(
      alone(
        Effect.gen(function* () {
          const { data, driver } = yield* latest
          const before = data.writes
          const answer = yield* write(driver)
          if (always || data.writes > before) yield* save(data)
          return answer
        })
      )
    )

  yield* alone(
    Effect.gen(function* () {
      if ((yield* medium.load) === null) yield* save(new MemoryData(yield* newId))
    })
  )

  const driver: StoreDriver = {
    open: reading(({ open }) => Effect.map(open, ({ id }) => ({ id, name: medium.name }))),
    enlist: (request) => writing(({ enlist }) => enlist(request)),
    renew: (request) => writing(({ renew }) => renew(request), true),
    fence: (request) => writing(({ fence }) => fence(request)),
    commit: (unit) => writing(({ commit }) => commit(unit)),
    jobs: (query) => reading(({ jobs }) => jobs(query)),
    agents: (query) => reading(({ agents }) => agents(query)),
    events: (query) => reading(({ events }) => events(query)),
    records: (query) => reading(({ records }) => records(query)),
    tally: (request) => reading(({ tally }) => tally(request)),
    changed: gate.withPermit(Effect.map(latest, () => found)),
    prune: (request) => writing(({ prune }) => prune(request))
  }
  return driver
})

/** Fills the seat of the store. */
export const layer = (medium: Medium): Layer.Layer<Store, StoreFailure> =>
  Store.layerFromDriver(makeDriver(medium))
