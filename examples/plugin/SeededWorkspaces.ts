// Workspaces that are not empty: each job's folder begins as a copy of another one. The rest is what ships, by delegation.
import { cp } from "node:fs/promises"
import { type Workspaces, PluginFailed } from "@muster/core"
import { DirectoryWorkspaces } from "@muster/fleet"
import { Effect } from "effect"

export const seededWorkspaces = (options: { readonly root: string; readonly seed: string }): Workspaces => {
  const directories = DirectoryWorkspaces.make({ root: options.root })
  const copy = (path: string) =>
    Effect.tryPromise({
      // what is there stays: `prepare` may be repeated after a crash, and by the next attempt
      try: () => cp(options.seed, path, { recursive: true, force: false }),
      catch: (cause) =>
        new PluginFailed({ plugin: "desk", operation: "Workspaces.prepare", detail: String(cause) })
    })
  return {
    ...directories,
    name: "seeded",
    prepare: (order) => Effect.tap(directories.prepare(order), ({ path }) => copy(path))
  }
}
