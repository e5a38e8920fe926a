// The plugin: what it brings, under the names that workflows use, and what it holds while the fleet runs.
import { join } from "node:path"
import { Plugin } from "@muster/core"
import { Effect } from "effect"
import { backlogFacet } from "./BacklogFacet.ts"
import { folderLander } from "./FolderLander.ts"
import { journalObserver } from "./JournalObserver.ts"
import { seededWorkspaces } from "./SeededWorkspaces.ts"
import { sourcesGate } from "./SourcesGate.ts"

export const desk = (folder: string) =>
  Plugin.make({
    name: "desk",
    version: "1.0.0",
    make: Effect.succeed({
      gates: [sourcesGate(join(folder, "sources"))],
      workspaces: [seededWorkspaces({ root: join(folder, "work"), seed: join(folder, "seed") })],
      landers: [folderLander(join(folder, "landed"))],
      facets: [backlogFacet],
      observers: [journalObserver(join(folder, "journal.jsonl"))],
      codes: [{ code: "EXT_DESK_*", maxAttempts: 8, hint: "Look at the desk." }]
    })
  })
