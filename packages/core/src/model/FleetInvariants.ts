/** Every invariant of the fleet, by what it is about. */
import { agreement } from "./invariants/Agreement.ts"
import { attempts } from "./invariants/Attempts.ts"
import { keys } from "./invariants/Keys.ts"
import { landing } from "./invariants/Landing.ts"
import { liveness } from "./invariants/Liveness.ts"
import type { FleetInvariant } from "./invariants/Look.ts"
import { operators } from "./invariants/Operators.ts"
import { ownership } from "./invariants/Ownership.ts"
import { sideEffects } from "./invariants/SideEffects.ts"
import { slots } from "./invariants/Slots.ts"
import { stories } from "./invariants/Stories.ts"
import { teardown } from "./invariants/Teardown.ts"

export const fleetInvariants: ReadonlyArray<FleetInvariant> = [
  ...ownership,
  ...teardown,
  ...landing,
  ...slots,
  ...stories,
  ...attempts,
  ...keys,
  ...sideEffects,
  ...agreement,
  ...operators,
  ...liveness
]
