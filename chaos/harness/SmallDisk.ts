/**
 * A file system of a few megabytes that can be filled and freed: tmpfs, which only root may mount.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { Skipped } from "../Scenario.ts"

export interface SmallDisk {
  readonly folder: string
  /** Leaves not one free block. */
  readonly fill: Effect.Effect<void>
  readonly free: Effect.Effect<void>
}

/** Mounted below the folder; unmounted with the scope. */
export const mount = Effect.fnUntraced(function* (parent: string, mebibytes: number) {
  const folder = join(parent, "disk")
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return yield* new Skipped({ reason: "only root on Linux may mount a small file system" })
  yield* Effect.acquireRelease(
    Effect.try({
      try: () => {
        mkdirSync(folder)
        execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", folder], { stdio: "pipe" })
      },
      catch: () => new Skipped({ reason: "a small file system can't be mounted here" })
    }),
    () =>
      Effect.sync(() => {
        execFileSync("umount", ["-l", folder], { stdio: "pipe" })
      })
  )
  const ballast = join(folder, "ballast")
  const disk: SmallDisk = {
    folder,
    fill: Effect.sync(() => {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize))
    }),
    free: Effect.sync(() => rmSync(ballast, { force: true }))
  }
  return disk
})
