/**
 * Every scenario, in the order in which they are played.
 */
import type { Scenario } from "../Scenario.ts"
import { hosts } from "./Hosts.ts"
import { killPairs } from "./KillPairs.ts"
import { killPoints } from "./KillPoints.ts"
import { mayhem } from "./Mayhem.ts"
import { races } from "./Races.ts"
import { steps } from "./Steps.ts"
import { stores } from "./Stores.ts"
import { storms } from "./Storms.ts"

export const scenarios: ReadonlyArray<Scenario> = [
  ...killPoints,
  killPairs,
  ...steps,
  ...hosts,
  ...stores,
  ...races,
  ...storms,
  mayhem
]
