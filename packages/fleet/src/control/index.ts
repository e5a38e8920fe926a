/** The control plane: a running host's socket, its contract, and how to find and ask it. */
export * from "./BoardSnapshot.ts"
export * from "./ControlRpc.ts"
