// The drift gate as CI holds it: it blocks. Tables that make a new store can't drift from it, so that they are also held against the
// words of stores that are out there.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  declaredWords,
  driftGate,
  driftLine,
  ErrorCatalogue,
  facetDrifts,
  JobMachine,
  type Machine,
  readVocabulary,
  Store,
  storeDrifts,
  type VocabularyRow,
  wordDrifts
} from "@muster/core"
import { checkDrifts, checksAtHand, fleetModel } from "@muster/core/model"
import { FacetRegistry } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Result } from "effect"

const released = "words-of-version-1.txt"

/** The words of a released version, as its stores have them. */
const releasedRows: ReadonlyArray<VocabularyRow> = readFileSync(join(import.meta.dirname, released), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [source = "", list = "", place = "", number = "", word = ""] = line.split(" | ")
    return { source, list, place, word, number: number === "" ? null : Number(number) }
  })

const fresh = SqliteStore.layer({ filename: ":memory:" })

describe("the drift gate in CI", () => {
  it.effect("blocks nothing: a new store has the declared words, and the catalogue the declared codes", () =>
    Effect.gen(function* () {
      const { name } = yield* Store
      const { drifts } = yield* storeDrifts(yield* ErrorCatalogue.compile())
      assert.deepStrictEqual(yield* Effect.fromResult(driftGate("block", name, drifts)), [])
    }).pipe(Effect.provide(fresh))
  )

  it.effect("blocks nothing: the stores of the released version have the declared words", () =>
    Effect.gen(function* () {
      const name = "stores of version 1"
      const drifts = wordDrifts(declaredWords(), releasedRows, name)
      assert.deepStrictEqual(yield* Effect.fromResult(driftGate("block", name, drifts)), [])
    })
  )

  it.effect("a new store guards and spells what the released ones do, place by place", () =>
    Effect.gen(function* () {
      const rows = yield* readVocabulary()
      assert.deepStrictEqual(
        rows,
        releasedRows.filter(({ source }) => source !== "held"),
        `tests/drift/${released} and packages/store-sqlite/src/schema differ: a new version of the tables has a file of its own`
      )
    }).pipe(Effect.provide(fresh))
  )

  it.effect(
    "blocks nothing: a plugin host has the facets of the model, and they say of themselves what it says",
    () =>
      Effect.gen(function* () {
        const registered = yield* FacetRegistry.registered()
        assert.isNotEmpty(registered)
        const sides = { declared: "the model", live: "the plugin host" }
        assert.deepStrictEqual(facetDrifts(fleetModel.facets, registered, sides).map(driftLine), [])
        assert.deepStrictEqual(facetDrifts(fleetModel.facets, registered.slice(1), sides).map(driftLine), [
          `MODEL-DRIFT: declared facet '${registered[0]?.key}' of the model is built, and missing from the plugin host`
        ])
        assert.deepStrictEqual(facetDrifts(fleetModel.facets.slice(1), registered, sides).map(driftLine), [
          `MODEL-DRIFT: facet '${registered[0]?.key}' of the plugin host is not declared in the model`
        ])
      }).pipe(Effect.scoped)
  )

  it.effect(
    "blocks nothing: each invariant of the model has its check in the tier that was derived for it",
    () =>
      Effect.gen(function* () {
        const checks = checksAtHand(yield* ErrorCatalogue.compile())
        assert.deepStrictEqual(checkDrifts(checks, checks).map(driftLine), [])
        const of = "the model (packages/core/src/model/FleetInvariants.ts)"
        const by = "the checkers (packages/core/src/model/checkers)"
        const [first, second, ...rest] = checks
        assert.isDefined(first)
        assert.isDefined(second)
        const tier = first.tier === "temporal" ? "exhaustive" : "temporal"
        assert.sameMembers(checkDrifts([{ ...first, tier }, ...rest]).map(driftLine), [
          `MODEL-DRIFT: declared invariant '${first.invariant}' of ${of} derives tier ${first.tier}, and is checked in ${tier} by ${by}`,
          `MODEL-DRIFT: declared invariant '${second.invariant}' of ${of}, tier ${second.tier}, has no check in ${by}`
        ])
        assert.deepStrictEqual(checkDrifts(checks, [second, ...rest]).map(driftLine), [
          `MODEL-DRIFT: declared invariant '${first.invariant}' of ${of}, tier ${first.tier}, has a check in ${by} that did not run`
        ])
        const fewer = fleetModel.invariants.filter(({ id }) => id !== first.invariant)
        assert.deepStrictEqual(checkDrifts(checks, checks, fewer).map(driftLine), [
          `MODEL-DRIFT: check '${first.invariant}' of ${by} is of no invariant declared in ${of}`
        ])
      })
  )

  it("blocks a table that has lost a transition, though a new store would have lost it too", () => {
    const job: Machine.Machine = JobMachine
    const without = { ...job, edges: job.edges.filter(({ event }) => event !== "dead_letter") }
    const drifts = wordDrifts(declaredWords({ job: without }), releasedRows, "stores of version 1")
    const answer = driftGate("block", "stores of version 1", drifts)
    assert.isTrue(Result.isFailure(answer))
    if (Result.isFailure(answer))
      assert.deepStrictEqual(answer.failure.lines, [
        "MODEL-DRIFT: transition 'FAILED --dead_letter--> DEAD_LETTERED' stands in CHECK for jobs, table move, in stores of version 1 and is not declared in machine job (packages/core/src/domain/JobMachine.ts)",
        "MODEL-DRIFT: reason 'FAILED --dead_letter--> DEAD_LETTERED for quarantined' was written to table move, in stores of version 1 and is not declared in machine job (packages/core/src/domain/JobMachine.ts)"
      ])
  })
})
