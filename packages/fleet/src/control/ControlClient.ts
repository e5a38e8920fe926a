/**
 * Asking a running host: through its socket, in the words of the contract. A host that is gone, or that doesn't answer in time, is no
 * error of the caller's: there is still the store.
 */
import { Effect, Layer, Result, Schedule } from "effect"
import { RpcClient, type RpcClientError } from "effect/rpc"
import { Socket } from "effect/socket"
import { ControlRpc, type Greeting, protocolVersion } from "./ControlRpc.ts"
import * as FrameGuard from "./FrameGuard.ts"
import { isOwn, sockets } from "./SocketPath.ts"
import { connect as connectTo } from "./UnixSocket.ts"

/** A method for each question of the contract. Beside its own errors each fails with `RpcClientError` when the host is gone. */
export type ControlClient = RpcClient.FromGroup<typeof ControlRpc, RpcClientError.RpcClientError>

/** A host's answers are as long as its payloads are large: the limit only keeps a stranger from filling our memory. */
const lines = FrameGuard.clientLayer(268_435_456)

/** Speaks with the socket at this path for as long as the scope is open; one connection, which is not made again. */
export const connect = Effect.fn("ControlClient.connect")(function* (path: string) {
  const socket = yield* connectTo(path)
  const protocol = yield* Layer.build(
    RpcClient.layerProtocolSocket({ retryPolicy: Schedule.recurs(0) }).pipe(
      Layer.provide([Layer.succeed(Socket.Socket, socket), lines])
    )
  )
  const client: ControlClient = yield* Effect.provide(RpcClient.make(ControlRpc), protocol)
  // Its own fiber starts first: a connection that broke off before would be told to nobody, and the first question wait for ever.
  yield* Effect.yieldNow
  return client
})

/** A host that has answered. */
export interface LiveHost extends Greeting {
  readonly path: string
  readonly client: ControlClient
}

/** A host that doesn't answer within this is taken for one that doesn't answer, in milliseconds. */
export const patienceMillis = 150

const greet = Effect.fnUntraced(function* (path: string) {
  const client = yield* connect(path)
  const greeting = yield* client.Hello()
  const live: LiveHost = { ...greeting, path, client }
  return live
})

/**
 * The hosts of a store's file that answer, by their numbers. Asks only sockets that are the user's own, all at once, and none for longer than
 * `patience` milliseconds. Where there is no socket it costs one look at a folder.
 */
export const hostsOf = Effect.fn("ControlClient.hostsOf")(function* (
  store: string,
  patience: number = patienceMillis
) {
  const found = yield* Effect.sync(() => sockets(store).filter(isOwn))
  const answers = yield* Effect.forEach(
    found,
    ({ path }) => Effect.result(Effect.timeout(greet(path), patience)),
    { concurrency: "unbounded" }
  )
  return answers
    .flatMap((answer) => (Result.isSuccess(answer) ? [answer.success] : []))
    .filter(({ protocol }) => protocol === protocolVersion)
})
