/** The model of the fleet, and what checks it: the same functions that run the fleet, in a world of plain values. */
export { type Act, type Bounds, choose, enabled, step } from "./world/Acts.ts"
export { findings } from "./world/Invariants.ts"
export { create, isDone, type Rules, type World } from "./world/World.ts"
