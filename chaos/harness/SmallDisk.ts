/**
 * A file system of a few megabytes that can be filled and freed: tmpfs, which only root may mount.
 */
import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { Skipped } from "../Scenario.ts"

interface SmallDisk {
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
      // Others write meanwhile, so that free space is no number to go by.
      for (const size of [1_048_576, 65_536, 4_096]) {
        try {
          for (;;) appendFileSync(ballast, Buffer.alloc(size))
        } catch (error) {
          if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
        }
      }
    }),
    free: Effect.sync(() => rmSync(ballast, { force: true }))
  }
  return disk
})
