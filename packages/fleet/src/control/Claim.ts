/**
 * A host's place among the sockets of its store: taken with its first look, free again at its end. What hosts have left that are no more is
 * cleared away on the way.
 */
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Result } from "effect"
import { SocketServer } from "effect/socket"
import { clear } from "./LeftSockets.ts"
import { fileMode, fits, folderOf, ownFolder, shortFolderOf, sockets } from "./SocketPath.ts"
import { listen, type PeerLimits } from "./UnixSocket.ts"

/** A socket that listens, and where clients find it. */
interface Claimed {
  readonly path: string
  readonly server: SocketServer.SocketServer["Service"]
}

const remove = (path: string): void => rmSync(path, { force: true })

const attempt = <A>(act: () => A) =>
  Effect.try({ try: act, catch: (error) => (error instanceof Error ? error.message : String(error)) })

/** Listens under a name of its own first: under its real one a socket is whole, with its rights, or not there. */
const open = Effect.fnUntraced(function* (folder: string, host: number, limits: PeerLimits) {
  const path = join(folder, `${host}.sock`)
  const making = join(folder, `${host}.new`)
  if (!fits(path)) return yield* Effect.fail(`${path} is too long for a socket`)
  yield* attempt(() => {
    ownFolder(folder)
    remove(making)
  })
  const server = yield* Effect.mapError(listen(making, limits), ({ reason }) => String(reason.cause))
  yield* Effect.acquireRelease(
    attempt(() => {
      chmodSync(making, fileMode)
      renameSync(making, path)
    }),
    () => Effect.sync(() => remove(path))
  )
  const claimed: Claimed = { path, server }
  return claimed
})

/** Says beside the store where the socket is. */
const point = (store: string, host: number, path: string) => {
  const entry = join(folderOf(store), `${host}.at`)
  return Effect.acquireRelease(
    attempt(() => {
      ownFolder(folderOf(store))
      writeFileSync(entry, `${path}\n`, { mode: fileMode })
    }),
    () => Effect.sync(() => remove(entry))
  )
}

/** Listens as this host of the store's file, until the scope is closed. Fails with why it can't. */
export const claim = Effect.fnUntraced(function* (store: string, host: number, limits: PeerLimits) {
  yield* Effect.forEach(sockets(store), clear, { discard: true })
  const beside = yield* Effect.result(open(folderOf(store), host, limits))
  if (Result.isSuccess(beside)) return beside.success
  const folder = yield* shortFolderOf(store)
  yield* attempt(() => ownFolder(dirname(folder)))
  const elsewhere = yield* open(folder, host, limits)
  yield* point(store, host, elsewhere.path)
  return elsewhere
})
