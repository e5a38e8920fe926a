// A store that is one text on a medium: the suite on a medium that is a variable, and what a medium that fails may cost.
import { assert, it } from "@effect/vitest"
import { type CommitRows, StoreBroken, type StoreDriver, type StoreFailure } from "@muster/core"
import { storeSuite } from "@muster/core/testing"
import { Effect, Semaphore } from "effect"
import { makeDriver, type Medium } from "../src/adapters/SnapshotStore.ts"
import { simulate } from "../src/testing/simulate.ts"

/** A medium in a variable; `fault` runs before a save, and `late` after it. */
const variable = (faults: { fault?: StoreFailure; late?: StoreFailure } = {}) => {
  const lock = Semaphore.makeUnsafe(1)
  let text: string | null = null
  let saves = 0
  const medium: Medium = {
    name: "a variable",
    load: Effect.sync(() => text),
    save: (next) =>
      Effect.suspend(() => {
        if (faults.fault !== undefined) return Effect.fail(faults.fault)
        text = next
        saves += 1
        return faults.late === undefined ? Effect.void : Effect.fail(faults.late)
      }),
    stamp: Effect.sync(() => String(saves)),
    alone: (work) => lock.withPermit(work)
  }
  return {
    medium,
    put: (other: string | null) => {
      text = other
      saves += 1
    }
  }
}

storeSuite(
  "a snapshot on a medium",
  Effect.gen(function* () {
    const { medium } = variable()
    return { driver: yield* makeDriver(medium), reopen: makeDriver(medium) }
  })
)

/** Each operation on a handle of its own: so everything has been saved and read back before the next one. */
const anew = (medium: Medium, kept: StoreDriver): StoreDriver => {
  const by = <A, E>(use: (driver: StoreDriver) => Effect.Effect<A, E>) =>
    Effect.flatMap(makeDriver(medium), use)
  return {
    open: by(({ open }) => open),
    enlist: (request) => by(({ enlist }) => enlist(request)),
    renew: (request) => by(({ renew }) => renew(request)),
    fence: (request) => by(({ fence }) => fence(request)),
    commit: (unit) => by(({ commit }) => commit(unit)),
    jobs: (query) => by(({ jobs }) => jobs(query)),
    agents: (query) => by(({ agents }) => agents(query)),
    events: (query) => by(({ events }) => events(query)),
    records: (query) => by(({ records }) => records(query)),
    tally: (request) => by(({ tally }) => tally(request)),
    changed: kept.changed,
    prune: (request) => by(({ prune }) => prune(request))
  }
}

storeSuite(
  "a snapshot that is read anew for each operation",
  Effect.gen(function* () {
    const { medium } = variable()
    const open = Effect.map(makeDriver(medium), (kept) => anew(medium, kept))
    return { driver: yield* open, reopen: open }
  })
)

const bank = (host: number, turn: number): CommitRows => ({
  fence: { host, epoch: host, turn },
  at: 1,
  inserts: [],
  changes: [],
  notes: [],
  intents: [],
  settled: [],
  bank: `{"turn":${turn}}`,
  breakers: [],
  undelivered: null
})
const broken = new StoreBroken({ operation: "commit", detail: "the medium is full" })

it.effect("forgets a commit that could not be saved", () =>
  Effect.gen(function* () {
    const faults: { fault?: StoreFailure } = {}
    const driver = yield* makeDriver(variable(faults).medium)
    const { epoch, host } = yield* driver.enlist({ identity: "{}", at: 0 })
    faults.fault = broken
    assert.strictEqual(yield* Effect.flip(driver.commit(bank(host, 1))), broken)
    delete faults.fault
    const row = yield* driver.renew({ host, epoch, at: 2 })
    assert.strictEqual(row.turn, 0)
    yield* driver.commit(bank(host, 1))
  })
)

it.effect("knows a commit that was saved though the medium has failed", () =>
  Effect.gen(function* () {
    const faults: { late?: StoreFailure } = {}
    const driver = yield* makeDriver(variable(faults).medium)
    const { epoch, host } = yield* driver.enlist({ identity: "{}", at: 0 })
    faults.late = broken
    assert.strictEqual(yield* Effect.flip(driver.commit(bank(host, 1))), broken)
    delete faults.late
    const row = yield* driver.renew({ host, epoch, at: 2 })
    assert.strictEqual(row.turn, 1)
  })
)

it.effect.each(["{", '{"format":0}', "null", null])("says that %s is no store of its own", (text) =>
  Effect.gen(function* () {
    const { medium, put } = variable()
    const driver = yield* makeDriver(medium)
    put(text)
    const failure = yield* Effect.flip(driver.tally({ now: 0 }))
    assert.strictEqual(failure._tag, "ORCH_STORE_BROKEN")
    assert.include(failure.detail, "a variable")
  })
)

it.live("keeps every promise of a simulated fleet", () =>
  Effect.gen(function* () {
    const acquireStore = Effect.gen(function* () {
      const { medium } = variable()
      return { driver: yield* makeDriver(medium), reopen: makeDriver(medium) }
    })
    const report = yield* simulate({ seed: 1, runs: 10, shrinks: 0, acquireStore })
    assert.deepStrictEqual(
      report.failed.map(({ story }) => story),
      []
    )
  })
)
