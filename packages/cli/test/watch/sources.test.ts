import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { ScriptedRunner } from "@muster/core/testing"
import { Fleet } from "@muster/fleet"
import { Control } from "@muster/fleet/control"
import { SqliteStore } from "@muster/store-sqlite"
import { Context, Effect, Exit, Layer, Option, Schema, Scope, Stream } from "effect"
import { ConfigFlag } from "../../src/GlobalFlags.ts"
import type { BoardSource } from "../../src/watch/BoardSource.ts"
import type { FleetLook, LaneLook } from "../../src/watch/FleetLook.ts"
import { broughtTo, withRest } from "../../src/watch/sources/Lanes.ts"
import * as LiveSource from "../../src/watch/sources/LiveSource.ts"
import * as RunSource from "../../src/watch/sources/RunSource.ts"

const { emit, fail, succeed, waitFor } = ScriptedRunner

const storeFile: Effect.Effect<string, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "muster-watch-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "fleet.db")
)

const script = ScriptedRunner.make(({ payload }) =>
  payload === 0
    ? [fail("DQ_BAD")]
    : [
        emit({ _tag: "Line", source: "stdout", text: `at work on ${String(payload)}`, cut: false }),
        waitFor("gate"),
        succeed(payload)
      ]
)

const work = Workflow.make("work", {
  payload: Schema.Finite,
  result: Schema.Finite,
  runner: script.runner
})

/** A host on this store, with a socket, until it is stopped. */
const hostOn = Effect.fnUntraced(function* (file: string) {
  const scope = yield* Scope.fork(yield* Scope.Scope)
  const fleetLayer = Fleet.layer({ workflows: [work], slots: 2, stop: "1 second" })
  const layer = Layer.provideMerge(fleetLayer, SqliteStore.layer({ filename: file }))
  const context = yield* Scope.provide(Layer.build(layer), scope)
  yield* Control.serve({ store: file }).pipe(Effect.provide(context), Scope.provide(scope))
  return { context, fleet: Context.get(context, Fleet), stop: Scope.close(scope, Exit.void) }
})

/** The first look for which this holds. */
const lookOf = (
  source: BoardSource,
  holds: (look: FleetLook) => boolean,
  notices: Array<string> = [] // of all looks until then
) =>
  source.looks.pipe(
    Stream.tap(({ notice }) => Effect.sync(() => notices.push(notice))),
    Stream.filter(holds),
    Stream.runHead,
    Effect.map(Option.getOrThrow),
    Effect.timeout("15 seconds")
  )

/** The first line that the job's agent has printed. */
const saidBy = (source: BoardSource, jobId: string) =>
  source.log(jobId).pipe(
    Stream.flattenIterable,
    Stream.filter(({ source: from }) => from === "stdout"),
    Stream.runHead,
    Effect.map(Option.getOrThrow),
    Effect.timeout("15 seconds")
  )

const submitted = Effect.fnUntraced(function* (fleet: Fleet["Service"], payloads: ReadonlyArray<number>) {
  return yield* fleet.submitAll(payloads.map((payload) => ({ workflowType: "work", payload })))
})

describe("the board's sources", () => {
  it.live(
    "tell what hosts say, then what the store says when they have gone, then of those that come",
    () =>
      Effect.gen(function* () {
        const file = yield* storeFile
        const host = yield* hostOn(file)
        yield* submitted(host.fleet, [0, 1, 2, 3])
        const watched = yield* Layer.build(SqliteStore.layer({ filename: file, access: "read" }))
        const source = yield* LiveSource.make.pipe(
          Effect.provide(watched),
          Effect.provideService(ConfigFlag, Option.none())
        )

        const live = yield* lookOf(
          source,
          ({ agents, letters, via }) =>
            via === "hosts" &&
            letters.length === 1 &&
            agents.some(({ lastLine }) => lastLine === "at work on 2")
        )
        assert.deepInclude(live.hosts[0], { answers: true, slots: 2, used: 2, mode: "running" })
        assert.deepInclude(live.letters[0], { code: "DQ_BAD", workflow: "work", eligible: true })
        assert.deepStrictEqual(
          live.lanes.map(({ waiting }) => waiting),
          [1]
        )
        const [first] = live.agents
        const heard = yield* saidBy(source, first?.jobId ?? "")
        assert.match(heard.text, /^at work on/)

        yield* host.stop
        const alone = yield* lookOf(source, ({ via }) => via === "store")
        assert.match(alone.notice, /host 1 has gone/)
        const kept = yield* saidBy(source, first?.jobId ?? "")
        assert.match(kept.text, /^at work on/, "what it has said is kept beside the store")
        const next = yield* hostOn(file)
        const again = yield* lookOf(source, ({ agents, via }) => via === "hosts" && agents.length === 2)
        assert.deepStrictEqual(
          again.hosts.map(({ answers, host: number }) => [number, answers]),
          [[2, true]]
        )
        yield* next.stop
      }),
    20_000
  )

  it.live("say that they connect to a host, until it hasn't answered at its socket", () =>
    Effect.gen(function* () {
      const file = yield* storeFile
      const fleetLayer = Fleet.layer({ workflows: [work], slots: 2, stop: "1 second" })
      yield* Layer.build(Layer.provideMerge(fleetLayer, SqliteStore.layer({ filename: file })))
      mkdirSync(`${file}.hosts`, { mode: 0o700 })
      // somebody who takes every connection and says nothing
      const mute = createServer(() => undefined)
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          mute.listen(`${file}.hosts/1.sock`, () => resume(Effect.void))
        }),
        () => Effect.sync(() => mute.close())
      )
      const watched = yield* Layer.build(SqliteStore.layer({ filename: file, access: "read" }))
      const source = yield* LiveSource.make.pipe(
        Effect.provide(watched),
        Effect.provideService(ConfigFlag, Option.none())
      )
      const notices: Array<string> = []
      yield* lookOf(source, ({ notice }) => notice.includes("no socket"), notices)
      assert.strictEqual(notices[0], "connecting to host 1 …")
    })
  )

  it.live("carry out what keys ask for, and answer a refusal with its words", () =>
    Effect.gen(function* () {
      const file = yield* storeFile
      const host = yield* hostOn(file)
      const [dead, working] = yield* submitted(host.fleet, [0, 7])
      const board = { title: "work", startedAt: 0, counts: () => counts, notice: () => "" }
      const source = yield* Effect.provide(RunSource.make(host.fleet, board), host.context)
      const look = yield* lookOf(source, ({ agents, letters }) => agents.length === 1 && letters.length === 1)
      assert.deepInclude(look.run, { title: "work", counts })
      const { actions } = source
      assert.match(yield* actions.cancel(working?.jobId ?? ""), /job 2 is cancelled/)
      assert.match(yield* actions.replay(dead?.jobId ?? ""), /job 1 is replayed as job 3/)
      assert.match(yield* actions.pause, /^paused/)
      assert.strictEqual((yield* host.fleet.snapshot).mode, "paused")
      assert.strictEqual(yield* actions.resume, "resumed")
      assert.strictEqual(yield* actions.scale(null, 5), "each host gets 5 slots")
      assert.match(yield* actions.cancel("nobody-9"), /no job/i)
      yield* host.stop
    })
  )

  it("count the jobs of a lane that were not looked at, and bring old lanes to new counts", () => {
    const noJobs = { ...jobs, PENDING: 0 }
    const lane = { workflow: "a", priority: 5, waiting: 4, more: false, oldestSince: 1, nextDueAt: null }
    const short = (lanes: ReadonlyArray<LaneLook>) =>
      lanes.map(({ more, priority, waiting, workflow }) => [workflow, priority, waiting, more])
    const lanes = withRest([{ ...lane, priority: 0 }, lane], [{ workflow: "a", jobs }])
    assert.deepStrictEqual(short(lanes), [
      ["a", 5, 4, true],
      ["a", 0, 4, true],
      ["a", null, 4, false]
    ])
    const at = (PENDING: number) => short(broughtTo(lanes, [{ workflow: "a", jobs: { ...noJobs, PENDING } }]))
    assert.deepStrictEqual(at(0), [])
    assert.deepStrictEqual(
      at(5).map(([, priority, waiting]) => [priority, waiting]),
      [
        [0, 1],
        [null, 4]
      ]
    )
    assert.deepStrictEqual(at(20).at(-1), ["a", null, 12, false])
    assert.deepStrictEqual(short(broughtTo([], [{ workflow: "b", jobs }])), [["b", null, 12, false]])
  })
})

const jobs = {
  PENDING: 12,
  VALIDATING: 0,
  PROCESSING: 0,
  RETRY_SCHEDULED: 0,
  COMPLETED: 0,
  FAILED: 0,
  DEAD_LETTERED: 0,
  CANCELLED: 0
}
const counts = { total: 2, landed: 0, working: 1, retrying: 0, waiting: 0, dead: 1, cancelled: 0 }
