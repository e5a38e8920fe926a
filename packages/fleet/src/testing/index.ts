/** What authors of stores and plugins test with that needs a whole fleet. It loads no test runner. */
export { drawPlan } from "./drawPlan.ts"
export type * from "./Plan.ts"
export {
  type FailedRun,
  simulate,
  type SimulateOptions,
  type SimulationReport,
  type StoreUnderSimulation
} from "./simulate.ts"
export type { Simulated } from "./Simulation.ts"
export type { Oracle, Violation } from "./Verdict.ts"
