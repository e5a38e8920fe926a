/**
 * Many simulated lives of a store with the real fleet on it, each from its own seed: what goes wrong in one of them is told as a story that
 * the seed alone brings back. For authors of stores and plugins, and for the fleet itself; it needs no test runner.
 */
import { ErrorCatalogue, type StoreDriver } from "@muster/core"
import { Effect, type Scope } from "effect"
import * as MemoryStore from "../adapters/MemoryStore.ts"
import { drawPlan } from "./drawPlan.ts"
import type { Plan } from "./Plan.ts"
import { shrinkPlan } from "./shrinkPlan.ts"
import { codes } from "./SimulatedFleet.ts"
import { run, type Simulated } from "./Simulation.ts"
import { tell } from "./Story.ts"
import type { Oracle, Violation } from "./Verdict.ts"

/** A new, empty store; the same shape as the store suite takes. */
export interface StoreUnderSimulation {
  readonly driver: StoreDriver
  /**
   * Another connection to the same data, as another process would have it; released with its scope. Without it all hosts share the one
   * connection.
   */
  readonly reopen?: Effect.Effect<StoreDriver, unknown, Scope.Scope>
}

export interface SimulateOptions<E = never> {
  /** The first seed; the next runs take the next numbers. Default 1. */
  readonly seed?: number
  /** Default 100. */
  readonly runs?: number
  /** Opens a new, empty store for each run. Default: the store in memory. */
  readonly acquireStore?: Effect.Effect<StoreUnderSimulation, E, Scope.Scope>
  /** Runs that may fail before it stops. Default 1. */
  readonly failures?: number
  /** How often a failing plan is tried with a part left out; 0: it is told as it is. Default 300. */
  readonly shrinks?: number
  /** Keeps the story of runs that go well too. Default false. */
  readonly traced?: boolean
  /** Told each run as it ends, the shrinking left out. */
  readonly onRun?: (run: Simulated) => void
}

export interface FailedRun {
  readonly seed: number
  readonly violations: ReadonlyArray<Violation>
  /** All that is known of it, to be read by people. */
  readonly story: string
}

/** What came of them all. */
export interface SimulationReport {
  readonly runs: number
  readonly jobs: number
  readonly hosts: number
  /** That took effect. */
  readonly commits: number
  /** Simulated, in milliseconds. */
  readonly millis: number
  readonly failed: ReadonlyArray<FailedRun>
}

/** Runs the fleet from seed to seed. It fails only with what `acquireStore` fails with: what is found wrong is in the report. */
export const simulate = Effect.fnUntraced(function* <E = never>(options: SimulateOptions<E> = {}) {
  const catalogue = yield* Effect.orDie(ErrorCatalogue.compile(codes))
  const memory = Effect.map(MemoryStore.driver, (driver): StoreUnderSimulation => {
    return { driver, reopen: Effect.sync(() => driver.reopen()) }
  })
  const { acquireStore = memory, failures = 1, runs = 100, seed: first = 1, shrinks = 300 } = options

  const play = (plan: Plan, traced: boolean): Effect.Effect<Simulated, E> =>
    Effect.scoped(
      Effect.flatMap(acquireStore, ({ driver, reopen }) => {
        const open = reopen === undefined ? Effect.succeed(driver) : Effect.orDie(reopen)
        return run({ plan, driver, open, catalogue, traced })
      })
    )

  /** The smallest plan that is found to break the same oracle, told. */
  const look = Effect.fnUntraced(function* (plan: Plan, oracle: Oracle | undefined) {
    const fails = (candidate: Plan) =>
      Effect.map(play(candidate, false), ({ violations }) => violations.some((one) => one.oracle === oracle))
    const smallest = yield* shrinkPlan(plan, fails, shrinks)
    const told = yield* play(smallest, true)
    const failed: FailedRun = {
      seed: plan.seed,
      violations: told.violations,
      story: tell(told, `simulate({ seed: ${plan.seed}, runs: 1 })`)
    }
    return failed
  })

  const failed: Array<FailedRun> = []
  const sums = { runs: 0, jobs: 0, hosts: 0, commits: 0, millis: 0 }
  for (let seed = first; seed < first + runs && failed.length < failures; seed++) {
    const plan = drawPlan(seed)
    const simulated = yield* play(plan, options.traced ?? false)
    sums.runs++
    sums.jobs += simulated.jobs
    sums.hosts += simulated.hosts
    sums.commits += simulated.commits
    sums.millis += simulated.millis
    options.onRun?.(simulated)
    const [violation] = simulated.violations
    if (violation !== undefined) failed.push(yield* look(plan, violation.oracle))
    // The event loop has had no turn meanwhile.
    yield* Effect.yieldNow
  }
  const report: SimulationReport = { ...sums, failed }
  return report
})
