import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { workspacesSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { scratch } from "./scratch.ts"
import { seededWorkspaces } from "./SeededWorkspaces.ts"

const workspacesIn = (folder: string) =>
  seededWorkspaces({ root: join(folder, "work"), seed: join(folder, "seed") })

workspacesSuite(
  "seeded",
  Effect.map(scratch, (folder) => ({
    workspaces: workspacesIn(folder),
    mark: ({ path }) => Effect.sync(() => writeFileSync(join(path, "mark"), "")),
    isMarked: ({ path }) => Effect.sync(() => existsSync(join(path, "mark"))),
    foreign: {
      ref: join(folder, "sources"),
      isThere: Effect.sync(() => existsSync(join(folder, "sources", "a.md")))
    }
  }))
)

it.effect("a workspace begins as a copy of the seed", () =>
  Effect.gen(function* () {
    const { prepare } = workspacesIn(yield* scratch)
    const { path } = yield* prepare({ jobId: "job_1", incarnation: 1, previous: null })
    assert.isTrue(existsSync(join(path, "a.md")))
  })
)
