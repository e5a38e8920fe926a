/**
 * The drift gate at a host's start (seed "Agent-orchestration model"): the declared tables against the words of the store that it is about to
 * work on, by one short query, and the declared facets against its plugin host. Before the host enlists, so that a start that is blocked
 * leaves nothing behind.
 */
import {
  builtInFacets,
  type Drift,
  driftGate,
  driftLine,
  type DriftMode,
  type FacetDeclaration,
  facetDrifts,
  Store,
  vocabularyDrifts
} from "@muster/core"
import { Effect } from "effect"
import { patiently } from "./loop/Host.ts"

export interface DriftAtStartOptions {
  readonly mode: DriftMode
  /** What the plugin host has. */
  readonly registered: ReadonlyArray<FacetDeclaration>
  /** Whether the built-in facets are to be there. */
  readonly reflects: boolean
  /** What the host declares besides them. */
  readonly declares: ReadonlyArray<FacetDeclaration>
}

/** The facets of a plugin host against those that are declared: Muster's own, and the host's. */
const registryDrifts = ({
  declares,
  reflects,
  registered
}: Omit<DriftAtStartOptions, "mode">): ReadonlyArray<Drift> =>
  facetDrifts([...(reflects ? builtInFacets : []), ...declares], registered, {
    declared: "the model (packages/core/src/domain/reflection/BuiltInFacets.ts, or `declares` of the host)",
    live: "the plugin host"
  })

/** Logs a warning for each drift, or fails with ORCH_MODEL_DRIFT where it blocks. */
export const driftAtStart = Effect.fn("DriftAtStart")(function* (options: DriftAtStartOptions) {
  if (options.mode === "off") return
  const { name } = yield* Store
  const { drifts } = yield* patiently(vocabularyDrifts())
  const told = yield* Effect.fromResult(
    driftGate(options.mode, name, [...drifts, ...registryDrifts(options)])
  )
  for (const drift of told) yield* Effect.logWarning(driftLine(drift))
})
