/**
 * The model's invariants against the checks that exist and ran. Which invariants a checker looks at is asked of the checker itself: each is set
 * to work, and its verdicts name them.
 */
import type { Catalogue } from "../../domain/ErrorCatalogue.ts"
import { property } from "../checkers/property.ts"
import { checkFleet } from "../explore/FleetCheck.ts"
import { fleetModel } from "../FleetModel.ts"
import { ofTier } from "../Model.ts"
import type { Verdict } from "../Verdict.ts"
import { fleetWalks, walkRules } from "../walks/FleetWalks.ts"
import type { Drift } from "./Drift.ts"
import { type InvariantNode, invariantDrifts } from "./nodeDrifts.ts"

/** The verdicts of all checkers after one look: far from a check, and enough to see what would be checked. */
export const checksAtHand = (catalogue: Catalogue): ReadonlyArray<Verdict> => [
  ...property(ofTier(fleetModel, "property"), fleetWalks(walkRules(catalogue)), {
    seed: 1,
    walks: 1,
    length: 1
  }),
  ...checkFleet({ catalogue, states: 1 }).verdicts
]

/**
 * Invariants without a check, of another tier, or of which a run says nothing; checks of no declared invariant.
 *
 * @param ran the verdicts of a run; left out: none is asked about
 */
export const checkDrifts = (
  checks: ReadonlyArray<Verdict>,
  ran?: ReadonlyArray<Verdict>,
  declared: ReadonlyArray<InvariantNode> = fleetModel.invariants
): ReadonlyArray<Drift> =>
  invariantDrifts(
    declared,
    checks,
    {
      declared: "the model (packages/core/src/model/FleetInvariants.ts)",
      live: "the checkers (packages/core/src/model/checkers)"
    },
    ran?.filter(({ explored }) => explored.count > 0)
  )
