/**
 * What holds in every world after every step: the model's safety invariants, held against a world and the step that led to it. Each finding
 * names its invariant and says what is broken, in a sentence.
 */
import { fleetInvariants } from "../FleetInvariants.ts"
import type { World } from "./World.ts"

/**
 * Everything that is broken in this world; empty for a sound one.
 *
 * @param before the world that the last step began in; null: there was none, and what concerns steps is not looked at
 */
export const findings = (world: World, before: World | null): ReadonlyArray<string> =>
  fleetInvariants.flatMap(({ id, temporal }) => {
    if (temporal.form !== "[]P") return []
    const broken =
      temporal.over === "state"
        ? temporal.broken(world)
        : before === null
          ? null
          : temporal.broken(before, world)
    return broken === null ? [] : [`${id}: ${broken}`]
  })
