/**
 * The conformance suite of the Facet contract (ports/Facet.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import type { Facet, FleetGlance } from "../ports/Facet.ts"

export interface FacetUnderTest {
  readonly facet: Facet
  /** Nothing is off: it says nothing. */
  readonly healthy: FleetGlance
  /** It speaks. */
  readonly unhealthy: FleetGlance
}

export interface FacetSuiteOptions {
  /** For each test, in milliseconds; 30,000 unless set. */
  readonly timeout?: number
}

/** What a fleet looks like before its first job. */
export const emptyGlance: FleetGlance = {
  now: 0,
  slots: 4,
  usedSlots: 0,
  tally: { jobs: [], oldest_ready: null, sequence: 0, letters: 0, bytes: 0 }
}

/** A sentence that an operator reads in a log, in bytes. */
const sentenceBytes = 1_024

const frozen = ({ tally, ...rest }: FleetGlance): FleetGlance =>
  Object.freeze({
    ...rest,
    tally: Object.freeze({
      ...tally,
      jobs: Object.freeze(tally.jobs.map((job) => Object.freeze({ ...job })))
    })
  })

/** Registers the tests that every facet must pass. */
export const facetSuite = (
  name: string,
  acquire: Effect.Effect<FacetUnderTest, unknown, Scope.Scope>,
  options: FacetSuiteOptions = {}
): void => {
  const test = (title: string, truth: (subject: FacetUnderTest) => Effect.Effect<unknown, unknown>) =>
    it.live(title, () => Effect.scoped(Effect.flatMap(acquire, truth)), options.timeout ?? 30_000)

  describe(`${name} keeps the Facet contract`, () => {
    test("has a name and a tempo", ({ facet }) =>
      Effect.sync(() => {
        assert.isNotEmpty(facet.name)
        assert.isTrue(Number.isFinite(facet.tempoMillis) && facet.tempoMillis > 0, "its tempo is a time")
      }))

    test("is silent while nothing is off", ({ facet, healthy }) =>
      Effect.gen(function* () {
        assert.isNull(yield* facet.reflect(frozen(healthy)))
      }))

    test("says in one sentence what is off", ({ facet, unhealthy }) =>
      Effect.gen(function* () {
        const said = (yield* facet.reflect(frozen(unhealthy))) ?? ""
        assert.isNotEmpty(said.trim())
        assert.notInclude(said.trim(), "\n")
        assert.isAtMost(new TextEncoder().encode(said).length, sentenceBytes)
      }))

    test("falls silent again when it is mended", ({ facet, healthy, unhealthy }) =>
      Effect.gen(function* () {
        yield* facet.reflect(frozen(unhealthy))
        assert.isNull(yield* facet.reflect(frozen(healthy)))
      }))

    test("looks at a fleet without a job", ({ facet }) => facet.reflect(frozen(emptyGlance)))

    test("can be interrupted and asked again", ({ facet, healthy }) =>
      Effect.gen(function* () {
        const fiber = yield* facet.reflect(frozen(healthy)).pipe(Effect.forkChild({ startImmediately: true }))
        yield* Fiber.interrupt(fiber)
        assert.isNull(yield* facet.reflect(frozen(healthy)))
      }))
  })
}
