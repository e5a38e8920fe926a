/** The control plane: a running host's socket, its contract, and how to find and ask it. */
export * from "./BoardSnapshot.ts"
export * as Control from "./Control.ts"
export * as ControlClient from "./ControlClient.ts"
export * from "./ControlRpc.ts"
export * as LeftSockets from "./LeftSockets.ts"
export { handlers as controlHandlers } from "./ControlServer.ts"
export { lanesOf, type QueueSample, sampleQueue, type Waiting } from "./QueueSample.ts"
