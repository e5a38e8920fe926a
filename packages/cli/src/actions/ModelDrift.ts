/**
 * `muster model drift`: what is declared against the store at hand.
 */
import { type Drift, driftGate, driftLine, facetDrifts, Store, storeDrifts } from "@muster/core"
import { checkDrifts, checksAtHand, fleetModel } from "@muster/core/model"
import { FacetRegistry } from "@muster/fleet"
import * as Effect from "effect/Effect"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { type DriftJson, driftJson } from "../json/DriftJson.ts"
import { answer } from "../output/Answer.ts"
import { oneLine } from "../output/Text.ts"
import * as StoreFile from "../store/StoreFile.ts"

interface Input {
  readonly mode: "audit" | "block"
}

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`

const sides = {
  declared: "the model (packages/core/src/domain/reflection/BuiltInFacets.ts)",
  live: "the registry of the plugin host (packages/fleet/src/reflection/BuiltInPlugin.ts)"
}

const drifted = Effect.fnUntraced(function* ({ mode }: Input) {
  const store = yield* Store
  const catalogue = yield* configuredCatalogue
  const found = yield* storeDrifts(catalogue)
  // Those of a configuration's plugins are held by the hosts that load them: a look at a store starts no plugin.
  const facets = yield* Effect.scoped(FacetRegistry.registered())
  const checks = checksAtHand(catalogue)
  const drifts: ReadonlyArray<Drift> = [
    ...found.drifts,
    ...facetDrifts(fleetModel.facets, facets, sides),
    ...checkDrifts(checks)
  ]
  const document: DriftJson = {
    mode,
    store: store.name,
    compared: { words: found.words, codes: found.codes, facets: facets.length, invariants: checks.length },
    drifts: drifts.map(driftJson)
  }
  yield* answer(document, ({ style }) =>
    drifts.length > 0
      ? drifts.map((drift) => style.bad(oneLine(driftLine(drift))))
      : [
          `${style.good("No drift")}: ${counted(found.words, "word")} and ${counted(found.codes, "code")} of ${store.name}, ${counted(facets.length, "facet")} and ${counted(checks.length, "invariant")} are as they are declared.`
        ]
  )
  const where = found.drifts.length > 0 ? store.name : "what runs and checks the fleet"
  yield* Effect.fromResult(driftGate(mode, where, drifts))
})

export const modelDrift = (input: Input) => Effect.provide(drifted(input), StoreFile.layer("read"))
