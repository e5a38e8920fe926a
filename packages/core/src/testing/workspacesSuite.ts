/**
 * The conformance suite of the Workspaces contract (ports/Workspaces.ts).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Scope } from "effect"
import type { Workspace, WorkspaceOrder, Workspaces } from "../ports/Workspaces.ts"

export interface WorkspacesUnderTest {
  /** Removes what it tears down, as far as nothing would be lost. */
  readonly workspaces: Workspaces
  /** Leaves a mark in a workspace, as an agent does that works there; must not count as work that would be lost. */
  readonly mark: (workspace: Workspace) => Effect.Effect<void, unknown>
  readonly isMarked: (workspace: Workspace) => Effect.Effect<boolean, unknown>
  /** A reference that is well-formed but none of this plugin's, to a place that exists. */
  readonly foreign: { readonly ref: string; readonly isThere: Effect.Effect<boolean, unknown> }
}

export interface WorkspacesSuiteOptions {
  /** For each test, in milliseconds; 30,000 unless set. */
  readonly timeout?: number
}

const order = (changes: Partial<WorkspaceOrder> = {}): WorkspaceOrder => ({
  jobId: "job_1",
  incarnation: 1,
  previous: null,
  ...changes
})

/** Registers the tests that every kind of workspaces must pass. */
export const workspacesSuite = (
  name: string,
  acquire: Effect.Effect<WorkspacesUnderTest, unknown, Scope.Scope>,
  options: WorkspacesSuiteOptions = {}
): void => {
  const test = (title: string, truth: (subject: WorkspacesUnderTest) => Effect.Effect<unknown, unknown>) =>
    it.live(title, () => Effect.scoped(Effect.flatMap(acquire, truth)), options.timeout ?? 30_000)

  describe(`${name} keeps the Workspaces contract`, () => {
    test("prepares a place that is healthy and can be worked in", ({ isMarked, mark, workspaces }) =>
      Effect.gen(function* () {
        const workspace = yield* workspaces.prepare(order())
        yield* workspaces.check(workspace)
        assert.match(workspace.path, /^\//)
        assert.isAtMost(new TextEncoder().encode(workspace.ref).length, 1_024)
        yield* mark(workspace)
        assert.isTrue(yield* isMarked(workspace))
      }))

    test("prepares the same place again when a crash repeats it", ({ isMarked, mark, workspaces }) =>
      Effect.gen(function* () {
        const workspace = yield* workspaces.prepare(order())
        yield* mark(workspace)
        assert.deepStrictEqual(yield* workspaces.prepare(order()), workspace)
        assert.isTrue(yield* isMarked(workspace))
      }))

    test("lets the next incarnation go on where the one before it worked", ({ isMarked, mark, workspaces }) =>
      Effect.gen(function* () {
        const workspace = yield* workspaces.prepare(order())
        yield* mark(workspace)
        const again = yield* workspaces.prepare(order({ incarnation: 2, previous: workspace.ref }))
        assert.deepStrictEqual(again, workspace)
        assert.isTrue(yield* isMarked(again))
      }))

    test("gives an incarnation that follows a hung one another place", ({ isMarked, mark, workspaces }) =>
      Effect.gen(function* () {
        const hung = yield* workspaces.prepare(order())
        yield* mark(hung)
        const next = yield* workspaces.prepare(order({ incarnation: 2 }))
        assert.notStrictEqual(next.ref, hung.ref)
        assert.notStrictEqual(next.path, hung.path)
        yield* workspaces.check(next)
        assert.isTrue(yield* isMarked(hung), "the old place is untouched")
        assert.isFalse(yield* isMarked(next), "the new place is fresh")
      }))

    test("gives each job a place of its own, whatever its id looks like", ({ workspaces }) =>
      Effect.gen(function* () {
        const ids = ["job_1", "job_2", "../job_1", "job 1/ä", ".", "..", "x".repeat(512)]
        const made = yield* Effect.forEach(ids, (jobId) => workspaces.prepare(order({ jobId })))
        assert.lengthOf(new Set(made.map(({ path }) => path)), ids.length)
        for (const workspace of made) yield* workspaces.check(workspace)
      }))

    test("finds a workspace by its reference alone", ({ workspaces }) =>
      Effect.gen(function* () {
        const workspace = yield* workspaces.prepare(order())
        assert.deepStrictEqual(yield* workspaces.find(workspace.ref), workspace)
      }))

    test("archives as often as it is asked, with the same answer", ({ workspaces }) =>
      Effect.gen(function* () {
        const workspace = yield* workspaces.prepare(order())
        const first = yield* workspaces.archive(workspace, "job_1")
        assert.deepStrictEqual(yield* workspaces.archive(workspace, "job_1"), first)
        yield* workspaces.check(workspace)
      }))

    test("removes a workspace, and says so again when it is gone already", ({ mark, workspaces }) =>
      Effect.gen(function* () {
        const workspace = yield* workspaces.prepare(order())
        yield* mark(workspace)
        assert.deepStrictEqual(yield* workspaces.remove(workspace.ref, "landed"), { _tag: "Removed" })
        assert.isNull(yield* workspaces.find(workspace.ref))
        assert.isTrue(Exit.hasFails(yield* Effect.exit(workspaces.check(workspace))), "it is not healthy")
        assert.deepStrictEqual(yield* workspaces.remove(workspace.ref, "landed"), { _tag: "Removed" })
      }))

    test("touches nothing that is not its own", ({ foreign, workspaces }) =>
      Effect.gen(function* () {
        const { ref } = foreign
        for (const call of [
          workspaces.remove(ref, "landed"),
          workspaces.find(ref),
          workspaces.check({ ref, path: ref }),
          workspaces.archive({ ref, path: ref }, "job_1"),
          workspaces.prepare(order({ incarnation: 2, previous: ref }))
        ])
          assert.isTrue(Exit.hasFails(yield* Effect.exit<unknown, unknown, never>(call)), "it is refused")
        assert.isTrue(yield* foreign.isThere)
      }))
  })
}
