/**
 * The conformance suite of the Facet contract (ports/Facet.ts). One that is declared and not built yet passes by its declaration.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import {
  facetStatuses,
  followUps,
  genres,
  isFacetKey,
  tempos
} from "../domain/reflection/FacetDeclaration.ts"
import type { FleetGlance } from "../domain/reflection/FleetGlance.ts"
import type { Facet, Firing } from "../ports/Facet.ts"

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
  host: 1,
  slots: 4,
  usedSlots: 0,
  freeSlots: 4,
  counts: [],
  letters: 0,
  waiting: null,
  failures: [],
  hosts: [{ host: 1, enlistedAt: 0, beatAt: 0, bankedAt: 0 }],
  pointers: []
}

/** A sentence that an operator reads in a log, and what it rests on, in bytes. */
const [sentenceBytes, evidenceBytes] = [1_024, 4_096]

const bytes = (text: string): number => new TextEncoder().encode(text).length

const deepFrozen = <A>(value: A): A => {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFrozen(inner)
    Object.freeze(value)
  }
  return value
}

const frozen = (glance: FleetGlance): FleetGlance => deepFrozen(structuredClone(glance))

/** Asks it; null for one that is not built. */
const ask = (facet: Facet, glance: FleetGlance): Effect.Effect<Firing | null, unknown> =>
  facet.status === "built" ? facet.reflect(frozen(glance)) : Effect.succeed(null)

/** Registers the tests that every facet must pass. */
export const facetSuite = (
  name: string,
  acquire: Effect.Effect<FacetUnderTest, unknown, Scope.Scope>,
  options: FacetSuiteOptions = {}
): void => {
  const test = (title: string, truth: (subject: FacetUnderTest) => Effect.Effect<unknown, unknown>) =>
    it.live(title, () => Effect.scoped(Effect.flatMap(acquire, truth)), options.timeout ?? 30_000)

  describe(`${name} keeps the Facet contract`, () => {
    test("declares itself in the closed vocabularies", ({ facet }) =>
      Effect.sync(() => {
        assert.isTrue(isFacetKey(facet.key), `"${facet.key}" is a key`)
        assert.isNotEmpty(facet.holds.trim())
        assert.include(genres, facet.genre)
        assert.include(tempos, facet.tempo)
        assert.include(facetStatuses, facet.status)
        assert.isNotEmpty(facet.followUps)
        for (const followUp of facet.followUps) assert.include(followUps, followUp)
        assert.strictEqual(new Set(facet.followUps).size, facet.followUps.length)
      }))

    test("refers to its policy, and tells none of it", ({ facet: { policy } }) =>
      Effect.sync(() => {
        assert.isNotEmpty(policy.path)
        assert.notMatch(policy.path, /^\/|\\|(?:^|\/)\.\.(?:\/|$)|\s/, "a path of no one machine")
        assert.match(policy.anchor, /^[\p{L}\p{N}_-]*$/u)
      }))

    test("is silent while nothing is off", ({ facet, healthy }) =>
      Effect.gen(function* () {
        assert.isNull(yield* ask(facet, healthy))
      }))

    test("says in one sentence what is off, about what, why, and what is to follow", ({ facet, unhealthy }) =>
      Effect.gen(function* () {
        const fired = yield* ask(facet, unhealthy)
        if (facet.status === "interface_ready") return
        assert.isNotNull(fired)
        if (fired === null) return
        assert.isNotEmpty(fired.sentence.trim())
        assert.notInclude(fired.sentence.trim(), "\n")
        assert.isAtMost(bytes(fired.sentence), sentenceBytes)
        assert.match(fired.about, /^\S{1,256}$/, "about is one word, and stays the same")
        assert.include(facet.followUps, fired.followUp)
        assert.strictEqual(fired.suggestion !== undefined, fired.followUp === "suggest")
        const evidence = JSON.stringify(fired.evidence)
        assert.isAtMost(bytes(evidence), evidenceBytes)
        assert.deepStrictEqual(JSON.parse(evidence), fired.evidence)
      }))

    test("says the same of the same fleet", ({ facet, unhealthy }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* ask(facet, unhealthy), yield* ask(facet, unhealthy))
      }))

    test("falls silent again when it is mended", ({ facet, healthy, unhealthy }) =>
      Effect.gen(function* () {
        yield* ask(facet, unhealthy)
        assert.isNull(yield* ask(facet, healthy))
      }))

    test("looks at a fleet without a job", ({ facet }) => ask(facet, emptyGlance))

    test("can be interrupted and asked again", ({ facet, healthy }) =>
      Effect.gen(function* () {
        const fiber = yield* ask(facet, healthy).pipe(Effect.forkChild({ startImmediately: true }))
        yield* Fiber.interrupt(fiber)
        assert.isNull(yield* ask(facet, healthy))
      }))
  })
}
