/**
 * Unix domain sockets of this machine as effect's sockets, with what a host needs against its peers: at most so many connections, none that
 * is silent or doesn't read for long, and no more in memory of one than it takes to read on.
 */
import * as Net from "node:net"
import { Effect, FiberSet, Queue } from "effect"
import { NetAddress } from "effect/net"
import { Socket, SocketServer } from "effect/socket"

export interface PeerLimits {
  /** Connections at once; a further one is closed as it comes. */
  readonly connections: number
  /** Without a byte from the peer for so long it is cut off, in milliseconds. */
  readonly idleMillis: number
  /** So long it may leave unread what was written, in milliseconds. */
  readonly stallMillis: number
}

const closed = (code: number, closeReason?: string) =>
  new Socket.SocketError({ reason: new Socket.SocketCloseError({ code, closeReason }) })

/** Reads only while somebody pulls, so that the system holds the peer back. */
const readingOf = (connection: Net.Socket) => {
  let waiter: (() => void) | null = null
  let failure: Error | null = null
  const look = () => waiter?.()
  connection.on("readable", look)
  connection.on("end", look)
  connection.on("close", look)
  connection.on("error", (error) => {
    failure = error
    look()
  })
  return Effect.callback<readonly [Uint8Array], Socket.SocketError>((resume) => {
    const attempt = () => {
      const chunk: Uint8Array | null = connection.readable ? connection.read() : null
      if (chunk === null && !connection.readableEnded && !connection.destroyed) return
      waiter = null
      if (chunk !== null) return resume(Effect.succeed([chunk]))
      resume(
        Effect.fail(
          failure === null
            ? closed(1000)
            : new Socket.SocketError({ reason: new Socket.SocketReadError({ cause: failure }) })
        )
      )
    }
    waiter = attempt
    attempt()
    return Effect.sync(() => {
      waiter = null
    })
  })
}

/** Returns when the system has taken what was written before. */
const drained = (connection: Net.Socket) =>
  Effect.callback<void, Socket.SocketError>((resume) => {
    const leave = () => {
      connection.off("drain", onDrain)
      connection.off("close", onClose)
    }
    const onDrain = () => {
      leave()
      resume(Effect.void)
    }
    const onClose = () => {
      leave()
      resume(Effect.fail(closed(1006)))
    }
    if (connection.destroyed) return resume(Effect.fail(closed(1006)))
    if (!connection.writableNeedDrain) return resume(Effect.void)
    connection.on("drain", onDrain)
    connection.on("close", onClose)
    return Effect.sync(leave)
  })

/** @param limits null: the peer is trusted, as a client trusts its host */
const fromConnection = (connection: Net.Socket, limits: PeerLimits | null): Socket.Socket => {
  const cutOff = (reason: string) =>
    Effect.suspend(() => {
      connection.destroy()
      return Effect.fail(closed(1008, reason))
    })
  const next = readingOf(connection)
  const pull =
    limits === null
      ? next
      : Effect.timeoutOrElse(next, { duration: limits.idleMillis, orElse: () => cutOff("silent") })
  const ready = drained(connection)
  const room =
    limits === null
      ? ready
      : Effect.timeoutOrElse(ready, { duration: limits.stallMillis, orElse: () => cutOff("it doesn't read") })
  const write = (chunk: Uint8Array | string | Socket.CloseEvent) =>
    Effect.flatMap(connection.writableNeedDrain ? room : Effect.void, () => {
      if (Socket.isCloseEvent(chunk)) {
        if (chunk.code === 1000) connection.destroySoon()
        else connection.destroy()
        return Effect.void
      }
      if (connection.destroyed || connection.writableEnded) return Effect.fail(closed(1006))
      return connection.write(chunk) ? Effect.void : room
    })
  return Socket.make({
    reader: Effect.as(
      Effect.addFinalizer(() => Effect.sync(() => connection.destroySoon())),
      {
        pull,
        upgrade: () =>
          Effect.fail(
            new Socket.SocketError({
              reason: new Socket.SocketUpgradeError({ cause: new Error("a unix socket has no TLS") })
            })
          )
      }
    ),
    writer: Effect.succeed({
      write,
      writeAll: (chunks) => Effect.forEach(chunks, write, { discard: true })
    })
  })
}

/** A server that listens there until its scope is closed. What becomes of one connection is its own. */
export const listen = Effect.fnUntraced(function* (path: string, limits: PeerLimits) {
  const arrivals = yield* Queue.unbounded<Net.Socket>()
  const open = new Set<Net.Socket>()
  const accept = (connection: Net.Socket): void => {
    // A peer that breaks off is no error of ours; whoever reads learns of it.
    connection.on("error", () => connection.destroy())
    if (open.size >= limits.connections) {
      connection.destroy()
      return
    }
    open.add(connection)
    connection.once("close", () => open.delete(connection))
    Queue.offerUnsafe(arrivals, connection)
  }
  yield* Effect.acquireRelease(
    Effect.callback<Net.Server, SocketServer.SocketServerError>((resume) => {
      const server = Net.createServer({ pauseOnConnect: true }, accept)
      server.on("error", (cause) =>
        resume(
          Effect.fail(
            new SocketServer.SocketServerError({ reason: new SocketServer.SocketServerOpenError({ cause }) })
          )
        )
      )
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const connection of open) connection.destroy()
      })
  )
  return SocketServer.SocketServer.of({
    address: NetAddress.unixPathAddress(path),
    run: (handler) =>
      Effect.scoped(
        Effect.gen(function* () {
          const talks = yield* FiberSet.make()
          for (;;) {
            const connection = yield* Queue.take(arrivals)
            const talk = handler(fromConnection(connection, limits)).pipe(
              Effect.ensuring(Effect.sync(() => connection.destroySoon())),
              Effect.catchCause((cause) => Effect.logDebug("a control connection broke off", cause))
            )
            yield* FiberSet.run(talks, talk)
          }
        })
      )
  })
})

/** A connection to the socket there, for as long as its scope is open. */
export const connect = Effect.fnUntraced(function* (path: string) {
  const connection = yield* Effect.acquireRelease(
    Effect.callback<Net.Socket, Socket.SocketError>((resume) => {
      const opening = Net.createConnection(path)
      const fail = (cause: Error) =>
        resume(
          Effect.fail(
            new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })
          )
        )
      // It stays: an error of which nobody hears ends the process.
      opening.on("error", fail)
      opening.once("connect", () => resume(Effect.succeed(opening)))
      return Effect.sync(() => opening.destroy())
    }),
    (open) => Effect.sync(() => open.destroy()),
    { interruptible: true }
  )
  return fromConnection(connection, null)
})

/** Who listens there: `gone` where a process that is no more has left its socket. */
export const listener = (path: string): Effect.Effect<"there" | "gone" | "unknown"> =>
  Effect.callback((resume) => {
    const connection = Net.createConnection(path)
    connection.once("connect", () => {
      connection.destroy()
      resume(Effect.succeed("there"))
    })
    connection.once("error", (error: NodeJS.ErrnoException) => {
      connection.destroy()
      resume(Effect.succeed(error.code === "ECONNREFUSED" || error.code === "ENOENT" ? "gone" : "unknown"))
    })
    return Effect.sync(() => connection.destroy())
  })
