/** The model of the fleet, and what checks it: the same functions that run the fleet, in a world of plain values. */
export { fleetInvariants } from "./FleetInvariants.ts"
export * from "./FleetLanes.ts"
export * from "./FleetModel.ts"
export * from "./FleetSeams.ts"
export * as Invariant from "./Invariant.ts"
export type { FleetInvariant } from "./invariants/Look.ts"
export type { Lane } from "./Lane.ts"
export * as Model from "./Model.ts"
export * as ModelDiagram from "./ModelDiagram.ts"
export * as ModelDocument from "./ModelDocument.ts"
export * as ModelText from "./ModelText.ts"
export * from "./Primitive.ts"
export * from "./Seam.ts"
export * as Temporal from "./Temporal.ts"
export { type Form, forms } from "./Temporal.ts"
export * from "./Tier.ts"
export * from "./Verdict.ts"
export { type Checked, exhaustive, type ExhaustiveOptions } from "./checkers/exhaustive.ts"
export { property } from "./checkers/property.ts"
export { type Obligation, temporal, type TemporalOptions } from "./checkers/temporal.ts"
export * from "./drift/checkDrifts.ts"
export { type Assumption, assumptions, type Duty } from "./explore/Fairness.ts"
export * from "./explore/FleetCheck.ts"
export { type Scene, scenes } from "./explore/FleetScenes.ts"
export {
  type Break,
  type Listener,
  type Path,
  type Safety,
  search,
  type Search,
  type SearchOptions
} from "./explore/Search.ts"
export type { Limits, System } from "./explore/System.ts"
export { fleetWalks, walkBounds, walkRules } from "./walks/FleetWalks.ts"
export type { Trail, WalkOptions, Walks } from "./walks/Walks.ts"
export type { Act } from "./world/Act.ts"
export { type Bounds, choose, enabled } from "./world/Acts.ts"
export { type Behaviour, real } from "./world/Behaviour.ts"
export { findings } from "./world/Invariants.ts"
export { step } from "./world/Step.ts"
export { seen, tellAct, tellStep } from "./world/Telling.ts"
export { create, isDone, type Rules, type World } from "./world/World.ts"
