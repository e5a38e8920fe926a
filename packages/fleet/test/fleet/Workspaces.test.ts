// The place that an agent works in, from prepare to its end.
import { assert, describe, it } from "@effect/vitest"
import type { Workspaces } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { eventsOf, moves } from "./Chains.ts"
import { numbers, type NumberedScript, scriptedWorkflow } from "./Scripted.ts"
import * as World from "./World.ts"

const { fail, insistUntil, succeed, waitFor } = ScriptedRunner

/** Workspaces in memory that note each call. What `broken` names goes wrong as often as it says, in the way it says. */
const fakeWorkspaces = (
  broken: {
    readonly [Call in "prepare" | "check" | "find" | "archive" | "remove"]?: ReadonlyArray<
      Effect.Effect<never, unknown> | "throw"
    >
  } = {},
  fate: Effect.Success<ReturnType<Workspaces["remove"]>> = { _tag: "Removed" }
) => {
  const calls: Array<string> = []
  const there = new Set<string>()
  const spoilt = { prepare: 0, check: 0, find: 0, archive: 0, remove: 0 }
  const call = <A>(name: keyof typeof spoilt, about: string, work: () => A): Effect.Effect<A, unknown> => {
    calls.push(`${name} ${about}`)
    const wrong = broken[name]?.[spoilt[name]++]
    if (wrong === "throw") throw new Error(`${name} threw`)
    return wrong ?? Effect.sync(work)
  }
  const workspaces: Workspaces = {
    name: "fake",
    prepare: ({ incarnation, jobId, previous }) =>
      call("prepare", `${jobId}/${incarnation} after ${previous}`, () => {
        const ref = previous ?? `${jobId}/${incarnation}`
        there.add(ref)
        return { ref, path: `/fake/${ref}` }
      }),
    check: ({ ref }) => call("check", ref, () => undefined),
    find: (ref) => call("find", ref, () => (there.has(ref) ? { ref, path: `/fake/${ref}` } : null)),
    archive: ({ ref }) => call("archive", ref, () => [`artifact of ${ref}`]),
    remove: (ref) =>
      call("remove", ref, () => {
        if (fate._tag === "Removed") there.delete(ref)
        return fate
      })
  }
  return { workspaces, calls, there }
}

const run = Effect.fnUntraced(function* (
  workspace: Workspaces,
  script: NumberedScript = () => [succeed(1)],
  maxRetries = 4
) {
  const { scripted, work } = scriptedWorkflow(script, { workspace, maxRetries })
  const { fleet, store } = yield* World.withHost({ workflows: [work], stop: "20 seconds" })
  const { jobId } = yield* fleet.submit(work, 1)
  yield* TestClock.adjust("2 minutes")
  yield* World.happened(fleet, ({ toState }) => toState === "tombstoned")
  const { job } = yield* store.job(jobId)
  const events = yield* eventsOf(store, job)
  return { job, events, agent: moves(events, "agent"), scripted }
})

const id = "memory-1"

describe("workspaces", () => {
  it.effect(
    "a workspace is prepared and checked before any work, archived before it is removed, and only then is there a tombstone",
    () =>
      Effect.gen(function* () {
        const { calls, there, workspaces } = fakeWorkspaces()
        const { agent, events, job, scripted } = yield* run(workspaces)
        assert.deepStrictEqual(calls, [
          `prepare ${id}/1 after null`,
          `check ${id}/1`,
          `find ${id}/1`,
          `archive ${id}/1`,
          `remove ${id}/1`
        ])
        assert.deepStrictEqual(scripted.starts()[0]?.workspace, { ref: `${id}/1`, path: `/fake/${id}/1` })
        assert.deepStrictEqual(agent, [
          "dispatch:job_accepted",
          "prepare:prepared",
          "land:commit_verified",
          "clean:clean"
        ])
        assert.deepStrictEqual([job.agent?.workspace, there.size], [null, 0])
        assert.include(events.find(({ event }) => event === "clean")?.detail ?? "", "removed")
      })
  )

  it.effect("an agent that is given up is archived before its workspace is removed, too", () =>
    Effect.gen(function* () {
      const { calls, there, workspaces } = fakeWorkspaces()
      const { agent, job } = yield* run(workspaces, () => [fail("DQ_NO_ROWS")])
      assert.strictEqual(job.state, "DEAD_LETTERED")
      assert.deepStrictEqual(calls.slice(-2), [`archive ${id}/1`, `remove ${id}/1`])
      assert.strictEqual(agent.at(-1), "tombstone:quarantined")
      assert.strictEqual(there.size, 0)
    })
  )

  it.effect("a retry goes on in the workspace of the attempt before, and is checked again", () =>
    Effect.gen(function* () {
      const { calls, workspaces } = fakeWorkspaces()
      const { job } = yield* run(workspaces, ({ attempt }) =>
        attempt === 1 ? [fail("EXT_FLAKY")] : [succeed(1)]
      )
      assert.strictEqual(job.state, "COMPLETED")
      assert.deepStrictEqual(calls.filter((call) => !call.startsWith("find")).slice(0, 4), [
        `prepare ${id}/1 after null`,
        `check ${id}/1`,
        `prepare ${id}/2 after ${id}/1`,
        `check ${id}/1`
      ])
    })
  )

  it.effect("what would be lost is kept, and the tombstone names it and says why (R30)", () =>
    Effect.gen(function* () {
      const fate = { _tag: "Kept", at: "refs/kept/1", reason: "two files are not committed" } as const
      const { workspaces } = fakeWorkspaces({}, fate)
      const { agent, events, job } = yield* run(workspaces)
      assert.strictEqual(agent.at(-1), "clean:workspace_kept")
      assert.strictEqual(job.agent?.workspace, `${id}/1`)
      assert.deepInclude(JSON.parse(events.find(({ event }) => event === "clean")?.detail ?? "{}"), {
        workspace: "kept",
        at: "refs/kept/1",
        reason: "two files are not committed"
      })
    })
  )

  const away = Effect.fail("disk away")

  for (const call of ["prepare", "check"] as const) {
    it.effect(`a ${call} that fails with a code burns an attempt by it, and no work is paid for`, () =>
      Effect.gen(function* () {
        const { workspaces } = fakeWorkspaces({ [call]: [Effect.fail({ _tag: "EXT_DISK_AWAY" })] })
        const { agent, job, scripted } = yield* run(workspaces)
        assert.include(agent, `abandon:${call === "check" ? "sentinel" : "prepare"}_failed`)
        assert.deepInclude(job, { state: "COMPLETED", retryCount: 1, lastErrorCode: "EXT_DISK_AWAY" })
        assert.strictEqual(scripted.starts().length, 1)
      })
    )

    it.effect(`a ${call} that fails with a permanent code ends the job, and leaves nothing behind`, () =>
      Effect.gen(function* () {
        const { there, workspaces } = fakeWorkspaces({ [call]: [Effect.fail({ _tag: "DQ_NO_SUCH_BRANCH" })] })
        const { job } = yield* run(workspaces)
        assert.deepInclude(job, { state: "DEAD_LETTERED", lastErrorCode: "DQ_NO_SUCH_BRANCH" })
        assert.strictEqual(there.size, 0)
      })
    )

    it.effect(`a ${call} that is broken holds its job unburned until it is mended (R2)`, () =>
      Effect.gen(function* () {
        const wrong = call === "check" ? Effect.die(new Error("bug")) : away
        const { workspaces } = fakeWorkspaces({ [call]: [wrong, wrong] })
        const { agent, events, job, scripted } = yield* run(workspaces)
        assert.strictEqual(agent.filter((move) => move.startsWith("abandon:")).length, 2)
        assert.deepInclude(job, { state: "COMPLETED", retryCount: 0, lastErrorCode: "ORCH_PLUGIN_FAILED" })
        const waits = events.filter(({ event }) => event === "schedule_retry")
        assert.deepStrictEqual(
          waits.map(({ transitionReason }) => transitionReason),
          ["plugin_broken", "plugin_broken"]
        )
        assert.strictEqual(scripted.starts().length, 1)
      })
    )
  }

  it.effect(
    "a plugin that stays broken opens the breaker: one job at a time finds out whether it is mended",
    () =>
      Effect.gen(function* () {
        const { calls, workspaces } = fakeWorkspaces({ prepare: numbers(99).map(() => away) })
        const { work } = scriptedWorkflow(() => [succeed(1)], { workspace: workspaces })
        const { fleet, store } = yield* World.withHost({ workflows: [work], slots: 20 })
        yield* TestClock.adjust("1 second")
        for (const n of numbers(20)) yield* fleet.submit(work, n)
        yield* TestClock.adjust("10 minutes")
        assert.deepInclude((yield* fleet.snapshot).breakers[0], { workflowType: work.name, state: "open" })
        assert.isBelow(calls.length, 60)
        const page = { by: "page", state: null, workflow: null, after: 0, limit: 99 } as const
        for (const { job } of yield* store.jobs(page))
          assert.deepInclude(job, { state: "RETRY_SCHEDULED", retryCount: 0 })
      })
  )

  for (const call of ["prepare", "check", "find", "archive", "remove"] as const) {
    for (const [how, wrong] of [
      ["throws", "throw"],
      ["dies", Effect.die("bug")],
      ["interrupts itself", Effect.interrupt]
    ] as const) {
      it.effect(`a call of ${call} that ${how} neither hangs the agent nor loses the workspace`, () =>
        Effect.gen(function* () {
          const begins = call === "prepare" || call === "check"
          const { there, workspaces } = fakeWorkspaces({ [call]: numbers(begins ? 1 : 9).map(() => wrong) })
          const { events, job } = yield* run(workspaces)
          assert.deepStrictEqual([job.agent?.state, job.state], ["tombstoned", "COMPLETED"])
          if (begins) {
            assert.deepStrictEqual(
              [job.lastErrorCode, job.retryCount, there.size],
              ["ORCH_PLUGIN_FAILED", 0, 0]
            )
            return
          }
          // not archived, so not removed: named in the record instead
          assert.deepStrictEqual([...there], [`${id}/1`])
          assert.include(events.find(({ event }) => event === "clean")?.detail ?? "", '"kept"')
        })
      )
    }
  }

  it.effect("an archive and a removal that fail for a moment are repeated", () =>
    Effect.gen(function* () {
      const { calls, there, workspaces } = fakeWorkspaces({ archive: [away, away], remove: [away, away] })
      const { agent } = yield* run(workspaces)
      assert.strictEqual(agent.at(-1), "clean:clean")
      assert.strictEqual(calls.filter((call) => call.startsWith("archive")).length, 3)
      assert.strictEqual(calls.filter((call) => call.startsWith("remove")).length, 3)
      assert.strictEqual(there.size, 0)
    })
  )

  it.effect("a removal that never succeeds keeps the workspace after a bounded number of tries (R30)", () =>
    Effect.gen(function* () {
      const { calls, workspaces } = fakeWorkspaces({ remove: numbers(99).map(() => away) })
      const { agent, job } = yield* run(workspaces)
      assert.deepStrictEqual([job.state, agent.at(-1)], ["COMPLETED", "clean:workspace_kept"])
      assert.strictEqual(calls.filter((call) => call.startsWith("remove")).length, 3)
    })
  )

  for (const [call, time, kept] of [
    ["archive", 60_000, "not archived"],
    ["remove", 5_000, "timed out"]
  ] as const) {
    it.effect(
      `a call of ${call} that doesn't end is given up after its deadline, and the workspace is kept`,
      () =>
        Effect.gen(function* () {
          const { there, workspaces } = fakeWorkspaces({ [call]: [Effect.never] })
          const { work } = scriptedWorkflow(() => [succeed(1)], {
            workspace: workspaces,
            deadlines: { clean: "5 seconds" }
          })
          const { fleet, store } = yield* World.withHost({ workflows: [work] })
          const job = yield* fleet.submit(work, 1)
          assert.strictEqual(yield* job.result, 1)
          yield* TestClock.adjust(time - 1)
          assert.strictEqual((yield* store.job(job.jobId)).job.agent?.state, "landed")
          yield* TestClock.adjust(1)
          const cleaned = yield* World.happened(fleet, ({ event }) => event === "clean")
          assert.strictEqual(cleaned.transitionReason, "workspace_kept")
          assert.include(cleaned.detail ?? "", kept)
          assert.deepStrictEqual([...there], [`${id}/1`])
        })
    )
  }

  it.effect("archive and removal hold no slot (R4, R30)", () =>
    Effect.gen(function* () {
      const { workspaces } = fakeWorkspaces({ archive: [Effect.never] })
      const { work } = scriptedWorkflow(({ n }) => [succeed(n)], { workspace: workspaces })
      const { fleet } = yield* World.withHost({ workflows: [work], slots: 1 })
      const [first, second] = [yield* fleet.submit(work, 1), yield* fleet.submit(work, 2)]
      assert.deepStrictEqual([yield* first.result, yield* second.result], [1, 2])
      yield* TestClock.adjust("2 minutes")
    })
  )

  it.effect("a new incarnation after a hung one gets a workspace of its own (R5)", () =>
    Effect.gen(function* () {
      const { workspaces } = fakeWorkspaces()
      const { scripted, work } = scriptedWorkflow(
        ({ incarnation }) => (incarnation === 1 ? [insistUntil("late")] : [succeed(incarnation)]),
        { workspace: workspaces, silence: "1 minute" }
      )
      const { fleet } = yield* World.withHost({ workflows: [work], stop: "20 seconds" })
      const job = yield* fleet.submit(work, 1)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* job.result, 2)
      assert.deepStrictEqual(
        scripted.starts().map(({ workspace }) => workspace?.ref),
        [`${id}/1`, `${id}/2`]
      )
      yield* scripted.release("late")
    })
  )

  it.effect("a job that is cancelled while it works leaves no workspace behind", () =>
    Effect.gen(function* () {
      const { there, workspaces } = fakeWorkspaces()
      const { scripted, work } = scriptedWorkflow(() => [waitFor("never")], { workspace: workspaces })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* scripted.started(1)
      yield* fleet.cancel(job.jobId)
      yield* World.happened(fleet, ({ event }) => event === "tombstone")
      assert.strictEqual(there.size, 0)
    })
  )

  it.effect("a job that is cancelled while its workspace is being made leaves none behind", () =>
    Effect.gen(function* () {
      const { there, workspaces } = fakeWorkspaces()
      const begun = yield* Deferred.make<void>()
      const standing = yield* Deferred.make<void>()
      // On the disk before anybody has an answer, as a folder or a worktree is.
      const slow: Workspaces = {
        ...workspaces,
        prepare: (order) =>
          Effect.tap(workspaces.prepare(order), () =>
            Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(standing))
          )
      }
      const { work } = scriptedWorkflow(() => [succeed(1)], { workspace: slow })
      const { fleet } = yield* World.withHost({ workflows: [work] })
      const job = yield* fleet.submit(work, 1)
      yield* Deferred.await(begun)
      yield* fleet.cancel(job.jobId)
      // The host has told its agent to stop by then.
      yield* TestClock.adjust("1 second")
      assert.strictEqual(there.size, 1)
      yield* Deferred.succeed(standing, undefined)
      yield* World.happened(fleet, ({ event }) => event === "tombstone")
      assert.strictEqual(there.size, 0)
    })
  )
})
