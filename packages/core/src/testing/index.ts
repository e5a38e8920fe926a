/** What authors of plugins test with: the conformance suites of the ports. */
export { storeSuite, type StoreSuiteOptions } from "./storeSuite.ts"
export type { AcquireStore, StoreUnderTest } from "./store/StoreUnderTest.ts"
export { assignment } from "./assignment.ts"
export { gateSuite, type GateQuestion, type GateSuiteOptions, type GateUnderTest } from "./gateSuite.ts"
export { landerSuite, type LanderSuiteOptions, type LanderUnderTest } from "./landerSuite.ts"
export { runnerSuite, type RunnerSuiteOptions, type RunnerUnderTest } from "./runnerSuite.ts"
export { workspacesSuite, type WorkspacesSuiteOptions, type WorkspacesUnderTest } from "./workspacesSuite.ts"
