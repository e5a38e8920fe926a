/**
 * One difference between what is declared and what is there, and what the gate makes of a list of them: `audit` tells, `block` fails
 * (seed "Agent-orchestration model": a drift gate, both ways).
 */
import { Result } from "effect"
import { ModelDrift } from "../../domain/errors/DriftErrors.ts"

/** What is compared. */
export const driftDimensions = [
  "states",
  "events",
  "reasons",
  "words",
  "codes",
  "facets",
  "invariants"
] as const
export type DriftDimension = (typeof driftDimensions)[number]

/**
 * `missing`: declared, and not there. `undeclared`: there, and not declared. `renamed`, `renumbered`, `different`: on both sides, but not the
 * same. `unguarded`: there is nothing that would refuse another word. `unseen`: declared and let in, but a run that should visit all never did.
 */
export const driftKinds = [
  "missing",
  "undeclared",
  "renamed",
  "renumbered",
  "different",
  "unguarded",
  "unseen"
] as const
export type DriftKind = (typeof driftKinds)[number]

export interface Drift {
  readonly dimension: DriftDimension
  readonly kind: DriftKind
  /** What has drifted, by its name. */
  readonly name: string
  /** The declared side: where to look for it in the sources. */
  readonly declared: string
  /** The live side: where to look for it in what runs. */
  readonly live: string
  /** Both sides in one sentence, without a full stop. */
  readonly sentence: string
}

/** The line that the seed asks for. */
export const driftLine = ({ sentence }: Drift): string => `MODEL-DRIFT: ${sentence}`

/** `off`: nothing is compared. `audit`: each drift is told. `block`: any drift is ORCH_MODEL_DRIFT. */
export const driftModes = ["off", "audit", "block"] as const
export type DriftMode = (typeof driftModes)[number]

/**
 * The drifts that are to be told, or the failure that they are.
 *
 * @param name of what was compared, for the failure
 */
export const driftGate = (
  mode: DriftMode,
  name: string,
  drifts: ReadonlyArray<Drift>
): Result.Result<ReadonlyArray<Drift>, ModelDrift> => {
  if (mode === "off") return Result.succeed([])
  return mode === "block" && drifts.length > 0
    ? Result.fail(new ModelDrift({ name, lines: drifts.map(driftLine) }))
    : Result.succeed(drifts)
}
