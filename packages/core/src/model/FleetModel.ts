/** Muster's model of itself: its machines are the tables that move the fleet, its invariants speak of the world that the checkers walk through. */
import { AgentMachine } from "../domain/AgentMachine.ts"
import { JobMachine } from "../domain/JobMachine.ts"
import { LoopMachine } from "../domain/LoopMachine.ts"
import { builtInFacets } from "../domain/reflection/BuiltInFacets.ts"
import { fleetInvariants } from "./FleetInvariants.ts"
import { type FleetLane, fleetLanes } from "./FleetLanes.ts"
import { fleetSeams } from "./FleetSeams.ts"
import * as Model from "./Model.ts"
import type { World } from "./world/World.ts"

export const fleetModel = Model.makeUnsafe<World, FleetLane>({
  name: "muster",
  lanes: fleetLanes,
  seams: fleetSeams,
  machines: [JobMachine, AgentMachine, LoopMachine],
  facets: builtInFacets,
  invariants: fleetInvariants
})
