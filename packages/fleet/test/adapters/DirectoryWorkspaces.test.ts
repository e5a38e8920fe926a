import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { workspacesSuite } from "@muster/core/testing"
import { Effect } from "effect"
import * as DirectoryWorkspaces from "../../src/adapters/DirectoryWorkspaces.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "muster-workspaces-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const underTest = Effect.map(folder, (parent) => {
  const foreign = join(parent, "elsewhere")
  mkdirSync(foreign)
  return {
    workspaces: DirectoryWorkspaces.make({ root: join(parent, "root") }),
    mark: ({ path }: { readonly path: string }) => Effect.sync(() => writeFileSync(join(path, "mark"), "x")),
    isMarked: ({ path }: { readonly path: string }) => Effect.sync(() => existsSync(join(path, "mark"))),
    foreign: { ref: foreign, isThere: Effect.sync(() => existsSync(foreign)) }
  }
})

workspacesSuite("DirectoryWorkspaces", underTest)

const first = { jobId: "job_1", incarnation: 1, previous: null }

describe("DirectoryWorkspaces", () => {
  it.effect("refuses its own root, and what climbs out of it", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const workspaces = DirectoryWorkspaces.make({ root })
      mkdirSync(join(root, "job_1", "deep"), { recursive: true })
      for (const ref of [root, `${root}/`, `${root}/job_1/..`, `${root}/../x`, `${root}/job_1/deep`, "/"]) {
        const error = yield* Effect.flip(workspaces.remove(ref, "landed"))
        assert.propertyVal(error, "_tag", "ORCH_PLUGIN_FAILED")
      }
      assert.isTrue(existsSync(join(root, "job_1", "deep")))
    })
  )

  it.effect("removes a link that an agent put in its workspace's place, not what it points to", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const outside = yield* folder
      const workspaces = DirectoryWorkspaces.make({ root })
      const { path, ref } = yield* workspaces.prepare(first)
      rmSync(path, { recursive: true })
      symlinkSync(outside, path)
      assert.deepStrictEqual(yield* workspaces.remove(ref, "landed"), { _tag: "Removed" })
      assert.isFalse(existsSync(path))
      assert.isTrue(existsSync(outside))
    })
  )

  it.effect("removes folders that an agent has locked", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const workspaces = DirectoryWorkspaces.make({ root })
      const { path, ref } = yield* workspaces.prepare(first)
      mkdirSync(join(path, "cache", "inner"), { recursive: true })
      writeFileSync(join(path, "cache", "inner", "file"), "x")
      chmodSync(join(path, "cache", "inner"), 0o500)
      chmodSync(join(path, "cache"), 0o500)
      assert.deepStrictEqual(yield* workspaces.remove(ref, "landed"), { _tag: "Removed" })
      assert.isFalse(existsSync(path))
    })
  )

  it.effect("keeps workspaces where the host asks for it, and says where", () =>
    Effect.gen(function* () {
      const workspaces = DirectoryWorkspaces.make({ root: yield* folder, keep: "always" })
      const { path, ref } = yield* workspaces.prepare(first)
      const fate = yield* workspaces.remove(ref, "landed")
      assert.deepInclude(fate, { _tag: "Kept", at: path })
      assert.isTrue(existsSync(path))
    })
  )

  it.effect("keeps only what failed where the host asks for that", () =>
    Effect.gen(function* () {
      const workspaces = DirectoryWorkspaces.make({ root: yield* folder, keep: "failed" })
      const { path, ref } = yield* workspaces.prepare(first)
      assert.deepInclude(yield* workspaces.remove(ref, "quarantined"), { _tag: "Kept", at: path })
      assert.deepStrictEqual(yield* workspaces.remove(ref, "landed"), { _tag: "Removed" })
    })
  )

  it.effect("removes with a job's place those that its earlier lives have left, and no other job's", () =>
    Effect.gen(function* () {
      const workspaces = DirectoryWorkspaces.make({ root: yield* folder })
      // Killed before the commit that would have told of it, and hung: neither is `previous` to anybody.
      const lost = yield* workspaces.prepare(first)
      const hung = yield* workspaces.prepare({ ...first, incarnation: 2 })
      const last = yield* workspaces.prepare({ ...first, incarnation: 3 })
      const other = yield* workspaces.prepare({ ...first, jobId: "job_10" })
      assert.strictEqual(new Set([lost, hung, last].map(({ path }) => path)).size, 3)
      assert.deepStrictEqual(yield* workspaces.remove(last.ref, "landed"), { _tag: "Removed" })
      for (const { path } of [lost, hung, last]) assert.isFalse(existsSync(path), path)
      assert.isTrue(existsSync(other.path))
    })
  )

  it.effect("makes a lost workspace anew where the job worked before", () =>
    Effect.gen(function* () {
      const workspaces = DirectoryWorkspaces.make({ root: yield* folder })
      const { path, ref } = yield* workspaces.prepare(first)
      rmSync(path, { recursive: true })
      const again = yield* workspaces.prepare({ ...first, incarnation: 2, previous: ref })
      assert.strictEqual(again.path, path)
      yield* workspaces.check(again)
    })
  )
})
