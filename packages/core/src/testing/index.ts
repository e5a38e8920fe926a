/** What authors of plugins test with: the conformance suites of the ports. */
export { storeSuite, type StoreSuiteOptions } from "./storeSuite.ts"
export type { AcquireStore, StoreUnderTest } from "./store/StoreUnderTest.ts"
