import { join } from "node:path"
import { assignment, landerSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { folderLander } from "./FolderLander.ts"
import { scratch } from "./scratch.ts"

const order = (key: string) => ({
  assignment: assignment({ idempotencyKey: key }),
  result: "{}",
  fencingToken: 1
})

landerSuite(
  "folder",
  Effect.map(scratch, (folder) => ({
    lander: folderLander(join(folder, "landed")),
    order: order("review/1"),
    other: order("review/2")
  }))
)
