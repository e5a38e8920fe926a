/**
 * Every scenario, in the order in which they are played.
 */
import type { Scenario } from "../Scenario.ts"
import { killPoints } from "./KillPoints.ts"

export const scenarios: ReadonlyArray<Scenario> = [...killPoints]
