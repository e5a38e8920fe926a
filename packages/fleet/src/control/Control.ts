/**
 * The control plane of a host: one layer over its fleet and its store. It serves until its scope is closed. Where it can't, it says so aloud and
 * the fleet goes on: a host is not stopped by what only watches and steers it.
 */
import { Store } from "@muster/core"
import { Effect, Layer } from "effect"
import { RpcServer } from "effect/rpc"
import { SocketServer } from "effect/socket"
import { Fleet } from "../Fleet.ts"
import { patiently } from "../loop/Host.ts"
import { claim } from "./Claim.ts"
import { ControlRpc } from "./ControlRpc.ts"
import { handlers } from "./ControlServer.ts"
import * as FrameGuard from "./FrameGuard.ts"
import type { PeerLimits } from "./UnixSocket.ts"

/** The bounds of what clients may take, each printed in docs/control.md. */
export const controlLimits = {
  /** Connections at once. */
  connections: 64,
  /** Code units of one question. */
  line: 2_097_152,
  /** Questions of one connection that are not answered yet. */
  open: 32,
  /** Questions that are answered at the same time; streams and waits don't count. */
  concurrency: 8,
  /** Without a byte from a client for so long it is cut off, in milliseconds. */
  idleMillis: 30_000,
  /** So long a client may leave unread what was written, in milliseconds. */
  stallMillis: 5_000
} as const

export interface ControlOptions {
  /** The store's file, beside which the socket is; default the name that the store gives itself. */
  readonly store?: string
  /** Narrower or wider bounds; see `controlLimits`. */
  readonly limits?: Partial<{ readonly [Limit in keyof typeof controlLimits]: number }>
}

/** Serves the fleet; answers the path of its socket, null where there is none. */
export const serve = Effect.fn("Control.serve")(function* (options: ControlOptions = {}) {
  const store = yield* Store
  const fleet = yield* Fleet
  const limits = { ...controlLimits, ...options.limits }
  const peers: PeerLimits = limits
  const { host } = yield* patiently(fleet.snapshot)
  const claimed = yield* claim(options.store ?? store.name, host, peers)
  yield* Layer.build(
    RpcServer.layer(ControlRpc, { concurrency: limits.concurrency, disableTracing: true }).pipe(
      Layer.provide([handlers, RpcServer.layerProtocolSocketServer]),
      Layer.provide([Layer.succeed(SocketServer.SocketServer, claimed.server), FrameGuard.layer(limits)])
    )
  )
  yield* Effect.logDebug(`the control socket is ${claimed.path}`)
  return claimed.path
})

const told = (error: unknown) =>
  Effect.logWarning(
    `this host has no control socket: ${typeof error === "string" ? error : String(error)}. It works without one; commands use the store.`
  )

/** Serves the fleet for as long as the layer lives. */
export const layer = (options: ControlOptions = {}): Layer.Layer<never, never, Fleet | Store> =>
  Layer.effectDiscard(serve(options).pipe(Effect.catch(told)))
