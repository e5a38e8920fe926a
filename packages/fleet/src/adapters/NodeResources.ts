/**
 * Resources as Node.js tells them: the file system of the store's folder, and the memory of the machine or of its container.
 */
import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { availableMemory } from "node:process"
import { Effect, Layer } from "effect"
import { Resources } from "./Resources.ts"

/** What nobody can tell holds nothing back. */
const diskAt = (store: string): Effect.Effect<number | null> =>
  store.startsWith(":")
    ? Effect.succeed(null)
    : Effect.tryPromise(() => statfs(dirname(store))).pipe(
        Effect.map(({ bavail, bsize }) => bavail * bsize),
        Effect.orElseSucceed(() => null)
      )

export const layer = Layer.succeed(Resources, {
  look: (store) => Effect.map(diskAt(store), (disk) => ({ disk, memory: availableMemory() }))
})
