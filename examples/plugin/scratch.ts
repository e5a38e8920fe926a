// A folder of each test's own: one source and one seed are in it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

export const scratch = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "desk-"))
    for (const name of ["sources", "seed"]) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, "a.md"), "a")
    }
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)
