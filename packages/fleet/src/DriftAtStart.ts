/**
 * The drift gate at a host's start: the declared tables against the words of the store that it is about to work on (seed
 * "Agent-orchestration model"). One short query, before the host enlists, so that a start that is blocked leaves nothing behind.
 */
import { driftGate, driftLine, type DriftMode, Store, vocabularyDrifts } from "@muster/core"
import { Effect } from "effect"
import { patiently } from "./loop/Host.ts"

/** Logs a warning for each drift, or fails with ORCH_MODEL_DRIFT where it blocks. */
export const driftAtStart = Effect.fn("DriftAtStart")(function* (mode: DriftMode) {
  if (mode === "off") return
  const { name } = yield* Store
  const { drifts } = yield* patiently(vocabularyDrifts())
  const told = yield* Effect.fromResult(driftGate(mode, name, drifts))
  for (const drift of told) yield* Effect.logWarning(driftLine(drift))
})
