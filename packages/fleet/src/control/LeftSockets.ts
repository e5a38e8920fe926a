/**
 * Sockets that hosts have left which are no more: what is beside a store, who listens there, and how one that nobody listens to is cleared away.
 */
import { rmSync } from "node:fs"
import { Effect, Option } from "effect"
import { type Found, isOwn, sockets } from "./SocketPath.ts"
import { listener } from "./UnixSocket.ts"

/** `gone`: nobody listens, the process that has made it is no more. `unknown`: it doesn't say in time, so it is somebody's. */
export type Listening = "there" | "gone" | "unknown"

/** One that doesn't say in time is somebody's, in milliseconds. */
const patienceMillis = 1_000

const listeningAt = (path: string): Effect.Effect<Listening> =>
  Effect.map(
    Effect.timeoutOption(listener(path), patienceMillis),
    Option.getOrElse((): Listening => "unknown")
  )

export interface SocketSeen extends Found {
  readonly listening: Listening
  /** False: somebody else has put it there, and it is neither asked nor removed. */
  readonly isOwn: boolean
}

/** A pointer is ours where it stands; a socket is only where nobody else can have made it. */
const isOurs = (found: Found): boolean => found.entry !== found.path || isOwn(found)

/** All sockets of a store, each asked whether anybody listens. */
export const look = (store: string): Effect.Effect<ReadonlyArray<SocketSeen>> =>
  Effect.forEach(
    sockets(store),
    (found) =>
      isOurs(found)
        ? Effect.map(listeningAt(found.path), (listening): SocketSeen => ({
            ...found,
            listening,
            isOwn: true
          }))
        : Effect.succeed<SocketSeen>({ ...found, listening: "unknown", isOwn: false }),
    { concurrency: 16 }
  )

const remove = (path: string): void => rmSync(path, { force: true })

/** Removes it if, right now, nobody listens; answers whether it is gone. */
export const clear = Effect.fnUntraced(function* (found: Found) {
  if (!isOurs(found) || (yield* listeningAt(found.path)) !== "gone") return false
  const { entry, path } = found
  return yield* Effect.sync(() => {
    remove(entry)
    if (entry !== path) remove(path)
    return true
  }).pipe(Effect.catchDefect(() => Effect.succeed(false)))
})
