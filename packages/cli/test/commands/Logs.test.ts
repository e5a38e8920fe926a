// What an agent has said, as typed: while it lives and afterwards, by its host and by the files beside the store.
import { existsSync, readdirSync, rmSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { LogFiles } from "@muster/fleet"
import { Fleet, type FleetService } from "@muster/fleet"
import { Control } from "@muster/fleet/control"
import { SqliteStore } from "@muster/store-sqlite"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Schema, Scope, Stream } from "effect"
import { TestConsole } from "effect/testing"
import { document, storeFolder } from "../CommandLine.ts"
import { live } from "../control/ServedStore.ts"

const hostile = "\u001B[2J\u001B]0;owned\u0007 \u202Ebad"

/** A host whose agents say something, wait, and say more; ended by hand. */
const scene = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  const gate = yield* Deferred.make<void>()
  const work = Workflow.make("talk", {
    payload: Schema.Struct({ n: Schema.Int }),
    result: Schema.Struct({ n: Schema.Int }),
    maxRetries: 1,
    run: Effect.fn(function* ({ n }, agent) {
      yield* agent.log(`life ${agent.assignment.incarnation} of ${n}`)
      yield* agent.progress(hostile)
      if (agent.assignment.attempt === 1) return yield* Effect.fail({ _tag: "ORCH_RETRYABLE_TIMEOUT" })
      yield* Deferred.await(gate)
      yield* agent.log("that was it")
      return { n }
    })
  })
  const scope = yield* Scope.make()
  const store = SqliteStore.layer({ filename: file })
  const codes = [{ code: "ORCH_RETRYABLE_TIMEOUT", backoffBaseSeconds: 0 }]
  const context = yield* Layer.buildWithScope(
    Layer.provideMerge(Fleet.layer({ workflows: [work], codes, stop: "1 second" }), store),
    scope
  )
  yield* Scope.provide(Effect.provide(Control.serve({ store: file }), context), scope)
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const fleet: FleetService = Context.get(context, Fleet)
  const { jobId } = yield* fleet.submit(work, { n: 7 })
  /** It waits in its second life. */
  const second = fleet.events({ after: 0, jobId }).pipe(
    Stream.filter(({ event }) => event === "retry"),
    Stream.take(1),
    Stream.runDrain
  )
  yield* second
  return {
    file,
    type,
    jobId,
    open: Deferred.succeed(gate, undefined),
    over: fleet.await(jobId),
    stop: Scope.close(scope, Exit.void)
  }
})

const texts = (out: ReadonlyArray<string>) => out.map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ""))
const shown = "progress  \\x1b[2J\\x1b]0;owned\\x07 \\x202ebad"

/** Typed again until it has said so many lines: what a host has in memory is told at once, what it writes a moment later. */
const once = Effect.fnUntraced(function* <E, R>(
  command: Effect.Effect<{ readonly out: ReadonlyArray<string> }, E, R>,
  lines: number
) {
  for (;;) {
    const { out } = yield* command
    if (out.length >= lines) return out
    yield* Effect.yieldNow
  }
})

describe("muster logs", () => {
  it.live("tells what an agent says while it lives, its lives apart, fit for a terminal", () =>
    Effect.gen(function* () {
      const { jobId, type } = yield* scene
      const out = yield* once(type(["logs", `agent:${jobId}`]), 5)
      assert.deepStrictEqual(texts(out), [
        "log       life 1 of 7",
        shown,
        "life 2",
        "log       life 2 of 7",
        shown
      ])
      const ofFirst = yield* type(["logs", "1", "--life", "1"])
      assert.deepStrictEqual(texts(ofFirst.out), ["log       life 1 of 7", shown])
      assert.deepStrictEqual(texts((yield* type(["logs", "1", "-n", "1"])).out).slice(-1), [shown])
      const [last] = (yield* type(["logs", "1", "--json", "--lines", "1"])).out
      assert.deepInclude(document("muster logs", last), {
        job_id: jobId,
        incarnation: 2,
        number: 2,
        source: "progress",
        text: hostile,
        cut: false
      })
    }).pipe(Effect.provide(live))
  )

  it.live("goes on with --follow until its agent has ended, each line once", () =>
    Effect.gen(function* () {
      const { open, over, type } = yield* scene
      const following = yield* Effect.forkChild(type(["logs", "1", "--follow"]))
      yield* Effect.gen(function* () {
        while (!(yield* TestConsole.logLines).some((text) => String(text).includes("life 2 of 7")))
          yield* Effect.yieldNow
      })
      yield* open
      yield* over
      const { exitCode, out } = yield* Fiber.join(following)
      assert.strictEqual(exitCode, 0)
      assert.deepStrictEqual(texts(out), [
        "log       life 1 of 7",
        shown,
        "life 2",
        "log       life 2 of 7",
        shown,
        "log       that was it"
      ])
    }).pipe(Effect.provide(live))
  )

  it.live("tells the same when no host is there any more, and says where nothing is kept", () =>
    Effect.gen(function* () {
      const { file, open, over, stop, type } = yield* scene
      yield* open
      yield* over
      yield* stop
      const { exitCode, out } = yield* type(["logs", "1", "--follow"])
      assert.deepStrictEqual([exitCode, texts(out).at(-1), out.length], [0, "log       that was it", 6])
      assert.strictEqual((yield* type(["logs", "1", "--lines", "0"])).out.length, 0)
      rmSync(LogFiles.folderOf(file), { recursive: true })
      const none = yield* type(["logs", "1"])
      assert.deepInclude(none, { exitCode: 0, out: [] })
      assert.include(none.err, "Nothing is kept of what the agent of job")
      yield* type(["submit", "-w", "other", '{"n":1}'])
      assert.include((yield* type(["logs", "2"])).err, "has no agent yet")
      assert.strictEqual((yield* type(["logs", "99"])).exitCode, 4)
    }).pipe(Effect.provide(live))
  )

  it.live("has what is old forgotten by muster prune, and what belongs to forgotten jobs", () =>
    Effect.gen(function* () {
      const { file, jobId, open, over, stop, type } = yield* scene
      yield* open
      yield* over
      yield* stop
      const folder = LogFiles.folderOf(file)
      const path = join(folder, `${jobId}.log`)
      const prune = (...args: ReadonlyArray<string>) =>
        Effect.map(type(["prune", ...args, "--json"]), ({ out }) => document("muster prune", out[0]))
      assert.deepInclude(yield* prune("--logs"), { jobs: 0, log_files: 0 })
      const old = Date.now() / 1_000 - 8 * 86_400
      utimesSync(path, old, old)
      assert.deepInclude(yield* prune("--logs", "--dry-run"), { log_files: 1 })
      assert.isTrue(existsSync(path))
      utimesSync(path, Date.now() / 1_000, Date.now() / 1_000)
      assert.deepInclude(yield* prune("1"), { jobs: 1, log_files: 1 })
      assert.deepStrictEqual(readdirSync(folder), [])
    }).pipe(Effect.provide(live))
  )
})
