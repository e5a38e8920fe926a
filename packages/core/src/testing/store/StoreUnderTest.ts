/**
 * What the store's suite is given, and how its tests get it: a fresh store each, with patience for ORCH_STORE_BUSY, and a second
 * connection where the author has one.
 */
import { it, type TestContext } from "@effect/vitest"
import { Effect, Schedule, type Schema, type Scope } from "effect"
import type { StoreDriver } from "../../ports/StoreDriver.ts"

export interface StoreUnderTest {
  readonly driver: StoreDriver
  /**
   * Another connection to the same data, as another process would have it; released with its scope. Without it the tests that
   * need two are skipped, and what they protect is not proven.
   */
  readonly reopen?: Effect.Effect<StoreDriver, unknown, Scope.Scope>
}

/** A new, empty store at each run. */
export type AcquireStore<E = unknown> = Effect.Effect<StoreUnderTest, E, Scope.Scope>

type Body = Effect.Effect<unknown, unknown, Scope.Scope>

/** How the groups of the suite register their tests. */
export interface StoreTests {
  /** A test on a store of its own. */
  readonly one: (name: string, body: (driver: StoreDriver) => Body) => void
  /** A test on two connections to a store of its own. */
  readonly two: (name: string, body: (first: StoreDriver, second: StoreDriver) => Body) => void
  /** A test that opens and closes connections by itself, beside the first one. */
  readonly many: (
    name: string,
    body: (first: StoreDriver, reopen: Effect.Effect<StoreDriver, unknown, Scope.Scope>) => Body
  ) => void
  /** A property of any input, each run on a store of its own. */
  readonly prop: <S extends Schema.Schema<unknown>>(
    name: string,
    input: S,
    body: (driver: StoreDriver, input: S["Type"]) => Body
  ) => void
}

/** Busy means that nothing happened: the suite asks again, as a host does. */
const again = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(effect, {
    schedule: Schedule.spaced("1 millis"),
    times: 5000,
    while: (failure) => failure._tag === "ORCH_STORE_BUSY"
  })

const patient = (driver: StoreDriver): StoreDriver => ({
  open: again(driver.open),
  enlist: (request) => again(driver.enlist(request)),
  renew: (request) => again(driver.renew(request)),
  fence: (request) => again(driver.fence(request)),
  commit: (unit) => again(driver.commit(unit)),
  jobs: (query) => again(driver.jobs(query)),
  agents: (query) => again(driver.agents(query)),
  events: (query) => again(driver.events(query)),
  records: (query) => again(driver.records(query)),
  tally: (request) => again(driver.tally(request)),
  changed: again(driver.changed),
  prune: (request) => again(driver.prune(request))
})

/** Marks the test as skipped and says why. `context.skip` throws to leave the test: here there is nothing left to leave. */
const skip = (context: TestContext, reason: string): Effect.Effect<unknown> =>
  Effect.andThen(
    Effect.ignoreCause(Effect.sync(() => context.skip(reason))),
    // the reporters print the note, but vitest takes it from the error alone
    Effect.sync(() => Object.assign(context.task.result ?? {}, { note: reason }))
  )

export const storeTests = (
  acquire: AcquireStore,
  options: { readonly timeout: number; readonly runs: number }
): StoreTests => {
  const many: StoreTests["many"] = (name, body) =>
    it.live(
      name,
      (context) =>
        Effect.flatMap(acquire, ({ driver, reopen }) =>
          reopen === undefined
            ? skip(context, "no `reopen`: the store under test gives no second connection")
            : body(patient(driver), Effect.map(reopen, patient))
        ),
      options.timeout
    )
  return {
    one: (name, body) =>
      it.live(name, () => Effect.flatMap(acquire, ({ driver }) => body(patient(driver))), options.timeout),
    two: (name, body) =>
      many(name, (first, reopen) => Effect.flatMap(reopen, (second) => body(first, second))),
    many,
    prop: (name, input, body) =>
      it.live.prop(
        name,
        { input },
        ({ input: value }) =>
          acquire.pipe(
            Effect.flatMap(({ driver }) => body(patient(driver), value)),
            Effect.scoped
          ),
        { timeout: options.timeout, arbitrary: { runs: options.runs } }
      )
  }
}
