import { join } from "node:path"
import { assignment, gateSuite } from "@muster/core/testing"
import { Effect } from "effect"
import { scratch } from "./scratch.ts"
import { sourcesGate } from "./SourcesGate.ts"

const question = (...sources: ReadonlyArray<string>) => ({
  assignment: assignment(),
  result: JSON.stringify({ sources })
})

gateSuite(
  "sources",
  Effect.map(scratch, (folder) => ({
    gate: sourcesGate(join(folder, "sources")),
    passes: question("a.md"),
    rejects: question("a.md", "b.md"),
    breaks: { gate: sourcesGate(join(folder, "nowhere")), question: question("a.md") }
  }))
)
