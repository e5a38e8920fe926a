/** The fleet for hosts without Effect: async functions, async iterators, AbortSignal, `await using`. */
export * from "./openFleet.ts"
export type { PromiseAgent, PromiseOnceOptions } from "./PromiseAgent.ts"
export * from "./PromiseWorkflow.ts"
