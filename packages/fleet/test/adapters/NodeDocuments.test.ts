// Documents as real files: below a directory, and in the package that brings the built-in policies.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { builtInFacets } from "@muster/core"
import { Effect } from "effect"
import { Documents } from "../../src/adapters/documents/Documents.ts"
import * as NodeDocuments from "../../src/adapters/documents/NodeDocuments.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "documents-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const resolve = (
  root: string | undefined,
  ...references: ReadonlyArray<readonly [path: string, anchor: string]>
) =>
  Effect.flatMap(Documents, (documents) =>
    documents.resolve(references.map(([path, anchor]) => ({ path, anchor })))
  ).pipe(Effect.provide(NodeDocuments.layer(root)))

describe("documents", () => {
  it.live("are found below the directory, with their headings", () =>
    Effect.gen(function* () {
      const root = yield* directory
      mkdirSync(join(root, "docs"))
      writeFileSync(join(root, "docs", "runbook.md"), "# Limits\n\n## What to do\n")
      assert.deepStrictEqual(
        yield* resolve(
          root,
          ["docs/runbook.md", "what-to-do"],
          ["docs/runbook.md", ""],
          ["docs/runbook.md", "gone"],
          ["docs/gone.md", ""],
          ["docs/runbook.md/more.md", ""],
          ["docs", ""]
        ),
        ["resolved", "resolved", "no_anchor", "no_document", "no_document", "unreadable"]
      )
    })
  )

  it.live("are not looked for outside of it, by no path and no link", () =>
    Effect.gen(function* () {
      const [root, other] = [yield* directory, yield* directory]
      writeFileSync(join(other, "secret.md"), "# Secret")
      symlinkSync(join(other, "secret.md"), join(root, "link.md"))
      assert.deepStrictEqual(
        yield* resolve(root, ["../secret.md", ""], [join(other, "secret.md"), ""], ["link.md", "secret"]),
        ["no_document", "no_document", "unreadable"]
      )
    })
  )

  it.live("that are too large to be policies are not read", () =>
    Effect.gen(function* () {
      const root = yield* directory
      writeFileSync(join(root, "large.md"), `# Head\n${"x".repeat(1_100_000)}`)
      assert.deepStrictEqual(yield* resolve(root, ["large.md", "head"]), ["unreadable"])
    })
  )

  it.live("of the built-in facets come with the package, wherever the host stands", () =>
    Effect.gen(function* () {
      const root = yield* directory
      for (const { key, policy } of builtInFacets)
        assert.deepStrictEqual(yield* resolve(root, [policy.path, policy.anchor]), ["resolved"], key)
      const [{ policy } = assert.fail("there is a facet")] = builtInFacets
      assert.deepStrictEqual(
        yield* resolve(
          undefined,
          [policy.path, "gone"],
          ["@muster/nowhere/a.md", ""],
          ["@muster/fleet/../a.md", ""]
        ),
        ["no_anchor", "no_document", "no_document"]
      )
    })
  )
})
