// Writes every generated document: `pnpm generate`. tests/generated.test.ts fails when one differs from its output.
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { current, expected, fileOf } from "./Generator.ts"
import { generators } from "./generators.ts"

for (const generator of generators) {
  const before = current(generator)
  const after = expected(generator, before)
  if (before === after) continue
  mkdirSync(dirname(fileOf(generator)), { recursive: true })
  writeFileSync(fileOf(generator), after)
  console.log(`wrote ${generator.path}`)
}
