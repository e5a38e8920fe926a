// The facets that come with the fleet, each by the contract's suite and at the edges of its policy.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  type BuiltFacet,
  builtInFacets,
  defaults,
  type Facet,
  type FailureGlance,
  type FleetGlance,
  reflectionPolicy
} from "@muster/core"
import { emptyGlance, facetSuite, pluginSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { reflectionPlugin } from "../../src/reflection/BuiltInPlugin.ts"
import { bankFreshness } from "../../src/reflection/facets/BankFreshness.ts"
import { capacity } from "../../src/reflection/facets/Capacity.ts"
import { recurringFailure } from "../../src/reflection/facets/RecurringFailure.ts"
import { spend } from "../../src/reflection/facets/Spend.ts"
import { stalePointer } from "../../src/reflection/facets/StalePointer.ts"

const minute = 60_000
const now = 100 * minute
const calm: FleetGlance = {
  ...emptyGlance,
  now,
  hosts: [{ host: 1, enlistedAt: 0, beatAt: now - 1_000, bankedAt: now - minute }],
  pointers: [{ by: "facet capacity", path: "a.md", anchor: "", resolution: "resolved" }]
}

const waiting = (millis: number, freeSlots = 1): FleetGlance => ({
  ...calm,
  freeSlots,
  waiting: { jobId: "store0-7", workflowType: "review", dueAt: now - millis }
})

/** Failures of one code, by minutes before now; each of another job, or all of one. */
const failing = (minutes: ReadonlyArray<number>, jobs = minutes.length, code = "EXT_DOWN"): FleetGlance => ({
  ...calm,
  failures: minutes.map((ago, n): FailureGlance => ({
    code,
    jobId: `store0-${n % jobs}`,
    at: now - ago * minute
  }))
})

const host = (differs: Partial<FleetGlance["hosts"][number]>): FleetGlance => ({
  ...calm,
  hosts: [...calm.hosts, { host: 2, enlistedAt: 0, beatAt: now, bankedAt: now, ...differs }]
})

const pointing = (resolution: FleetGlance["pointers"][number]["resolution"]): FleetGlance => ({
  ...calm,
  pointers: [...calm.pointers, { by: "code EXT_*", path: "docs/gone.md", anchor: "here", resolution }]
})

const keepsAll = (name: string, facet: Facet, unhealthy: FleetGlance) =>
  facetSuite(name, Effect.succeed({ facet, healthy: calm, unhealthy }))

keepsAll("recurring failure", recurringFailure, failing([30, 25, 20, 15, 10]))
keepsAll("bank freshness", bankFreshness, host({ bankedAt: now - 4 * minute }))
keepsAll("stale pointer", stalePointer, pointing("no_document"))
keepsAll("capacity", capacity, waiting(minute))
keepsAll("spend, which is not built yet", spend, calm)
pluginSuite("the plugin of the built-in facets", Effect.succeed({ plugin: reflectionPlugin }))

const said = (facet: BuiltFacet, glance: FleetGlance) =>
  Effect.map(facet.reflect(glance), (firing) => firing?.sentence ?? null)

it.effect("the plugin contributes what is declared, in that order, and nothing else", () =>
  Effect.gen(function* () {
    const { facets = [] } = yield* Effect.scoped(reflectionPlugin.make)
    assert.deepStrictEqual(
      facets.map(({ followUps, genre, holds, key, policy, status, tempo }) => ({
        key,
        holds,
        genre,
        tempo,
        status,
        followUps,
        policy
      })),
      builtInFacets
    )
  })
)

it("the policies say the numbers that are kept", () => {
  const text = readFileSync(join(import.meta.dirname, "../../policy/reflection.md"), "utf8").replaceAll(
    /\s+/g,
    " "
  )
  const { bankWindows, recurrence, waitMillis } = reflectionPolicy
  assert.deepStrictEqual(
    [recurrence.windowMillis, bankWindows, defaults.bankMillis],
    [60 * minute, 3, minute]
  )
  assert.include(
    text,
    `at least ${recurrence.failures} attempts, of at least ${recurrence.jobs} jobs, within one hour`
  )
  assert.include(text, `at least ${recurrence.apartMillis / minute} minutes apart`)
  assert.include(
    text,
    "once a minute. A host that renews its lease and has banked nothing for three of these windows"
  )
  assert.include(text, `due for ${waitMillis / 1_000} seconds`)
})

describe("a failure recurs", () => {
  const { failures, jobs } = reflectionPolicy.recurrence

  it.effect("when it comes back often enough, in enough jobs, over enough time", () =>
    Effect.gen(function* () {
      assert.include(yield* said(recurringFailure, failing([30, 25, 20, 15, 10], jobs)), "EXT_DOWN")
      assert.isNull(yield* said(recurringFailure, failing([30, 25, 20, 15].slice(0, failures - 1))))
      assert.isNull(yield* said(recurringFailure, failing([30, 25, 20, 15, 10], jobs - 1)))
      assert.isNull(yield* said(recurringFailure, failing([9, 8, 7, 6, 5])), "a burst")
      assert.isNull(yield* said(recurringFailure, failing([90, 80, 70, 15, 10])), "long ago")
    })
  )

  it.effect("and the worst one is named", () =>
    Effect.gen(function* () {
      const both = {
        ...calm,
        failures: [
          ...failing([30, 25, 20, 15, 10], 5, "EXT_LESS").failures,
          ...failing([31, 26, 21, 16, 11, 5], 6, "EXT_MORE").failures
        ]
      }
      assert.propertyVal(yield* recurringFailure.reflect(both), "about", "code:EXT_MORE")
    })
  )
})

describe("a bank is stale", () => {
  it.effect("after three windows, of a host that gives its beat", () =>
    Effect.gen(function* () {
      const edge = reflectionPolicy.bankWindows * defaults.bankMillis
      assert.isNull(yield* said(bankFreshness, host({ bankedAt: now - edge })))
      assert.include(yield* said(bankFreshness, host({ bankedAt: now - edge - 1 })), "host 2")
      assert.include(yield* said(bankFreshness, host({ bankedAt: null })), "since its start")
      assert.isNull(yield* said(bankFreshness, host({ bankedAt: null, enlistedAt: now - minute })))
      const silent = { bankedAt: now - 2 * edge, beatAt: now - defaults.leaseMillis }
      assert.isNull(yield* said(bankFreshness, host(silent)), "it is lost, and its work adopted")
    })
  )
})

describe("a pointer is stale", () => {
  it.effect("when its document, or the heading in it, is gone", () =>
    Effect.gen(function* () {
      for (const resolution of ["no_document", "no_anchor", "unreadable"] as const) {
        const sentence = yield* said(stalePointer, pointing(resolution))
        assert.include(sentence, "code EXT_* points to docs/gone.md#here")
      }
      assert.isNull(yield* said(stalePointer, pointing("resolved")))
    })
  )
})

describe("work waits beside a free slot", () => {
  it.effect("when it is due for long, and a slot could take it", () =>
    Effect.gen(function* () {
      const patience = reflectionPolicy.waitMillis
      assert.include(yield* said(capacity, waiting(patience)), "store0-7")
      assert.isNull(yield* said(capacity, waiting(patience - 1)))
      assert.isNull(yield* said(capacity, waiting(10 * patience, 0)))
      assert.isNull(yield* said(capacity, { ...calm, freeSlots: 4 }))
    })
  )
})
