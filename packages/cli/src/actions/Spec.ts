/**
 * `muster spec`: the lifecycle of the fleet at hand, as it is configured and as its store stands.
 */
import {
  auditRules,
  defaults,
  type FleetSpec,
  fleetSpec,
  letterCensus,
  readCodes,
  type SpecInvariant,
  type SpecWorkflow,
  Store
} from "@muster/core"
import { fleetModel } from "@muster/core/model"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { configured } from "../config/Configured.ts"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { workflowsOf } from "../config/ConfiguredFleet.ts"
import type { SpecJson } from "../json/SpecJson.ts"
import { answer } from "../output/Answer.ts"
import { specMarkdown } from "../output/SpecMarkdown.ts"
import * as StoreFile from "../store/StoreFile.ts"

/** What the model holds the decisions to, and the audit the store. */
const invariants: ReadonlyArray<SpecInvariant> = [
  ...fleetModel.invariants.map(({ id, sentence, source, tier }) => ({
    id,
    sentence,
    source,
    verified_by: `model, ${tier}`
  })),
  ...auditRules.map(({ id, sentence, source }) => ({ id, sentence, source, verified_by: "audit" }))
]

/** Those that are configured, then those that only the store has jobs of. */
const workflows = Effect.gen(function* () {
  const store = yield* Store
  const found = yield* configured
  const made = found === null ? [] : yield* workflowsOf(found, null, {})
  const known = new Set(made.map(({ name }) => name))
  const { jobs } = yield* store.tally(yield* Clock.currentTimeMillis)
  const others = new Set(jobs.map(({ workflow_type }) => workflow_type).filter((name) => !known.has(name)))
  return [
    ...made.map(({ name, policy }): SpecWorkflow => ({ name, policy })),
    ...Array.from(others, (name): SpecWorkflow => ({ name, policy: null })).toSorted((a, b) =>
      a.name < b.name ? -1 : 1
    )
  ]
})

const specified = Effect.gen(function* () {
  const store = yield* Store
  const configuration = yield* configured
  const catalogue = yield* configuredCatalogue
  const raised = new Map<string, number>()
  for (const { code, count } of yield* readCodes()) raised.set(code, (raised.get(code) ?? 0) + count)
  const spec: FleetSpec = fleetSpec(
    {
      store: store.name,
      configuration: configuration?.name ?? null,
      workflows: yield* workflows,
      catalogue,
      invariants,
      raised,
      letters: yield* letterCensus(catalogue)
    },
    { max_retries: defaults.maxRetries, unknown_outcome: "ask" }
  )
  yield* answer(spec satisfies SpecJson, () => specMarkdown(spec))
})

export const spec = Effect.provide(specified, StoreFile.layer("read"))
