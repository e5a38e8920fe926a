// Code in pages of the guide is a file of examples/, whole: what the page shows is what the tests have run.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Generator } from "./Generator.ts"

const pages: Readonly<Record<string, ReadonlyArray<string>>> = {
  "docs/guide/store.md": [
    "store-json/JsonFile.ts",
    "store-json/FileLock.ts",
    "store-json/JsonStore.ts",
    "store-json/JsonStore.test.ts"
  ],
  "docs/guide/plugins.md": [
    "plugin/scratch.ts",
    "plugin/Desk.ts",
    "plugin/SourcesGate.ts",
    "plugin/SourcesGate.test.ts",
    "plugin/SeededWorkspaces.ts",
    "plugin/SeededWorkspaces.test.ts",
    "plugin/FolderLander.ts",
    "plugin/FolderLander.test.ts",
    "plugin/BacklogFacet.ts",
    "plugin/BacklogFacet.test.ts",
    "plugin/JournalObserver.ts",
    "plugin/JournalObserver.test.ts",
    "plugin/Desk.test.ts"
  ]
}

const examples = join(import.meta.dirname, "../examples")

export const exampleCode: ReadonlyArray<Generator> = Object.entries(pages).flatMap(([path, files]) =>
  files.map((file) => ({
    path,
    section: `examples/${file}`,
    make: () =>
      `[\`${file.replace(/^.*\//, "")}\`](../../examples/${file})\n\n\`\`\`ts\n${readFileSync(join(examples, file), "utf8")}\`\`\`\n`
  }))
)
