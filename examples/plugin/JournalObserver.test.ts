import { readFileSync } from "node:fs"
import { join } from "node:path"
import { observerSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { journalObserver, lineOf } from "./JournalObserver.ts"
import { scratch } from "./scratch.ts"

observerSuite(
  "journal",
  Effect.map(scratch, (folder) => {
    const file = join(folder, "journal.jsonl")
    return {
      observer: journalObserver(file),
      hasShown: (event) => Effect.sync(() => readFileSync(file, "utf8").includes(lineOf(event)))
    }
  })
)
