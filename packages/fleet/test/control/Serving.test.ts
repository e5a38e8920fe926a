// What a running host answers over its socket, asked through the real one.
import { lstatSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { Deferred, Effect, Fiber, Option, Schema, Stream } from "effect"
import { clientOf, folder, serve } from "./ControlScene.ts"

/** An agent that says what it is told to, and works until the gate opens. */
const talker = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const work = Workflow.make("talk", {
    payload: Schema.Struct({ says: Schema.Array(Schema.String) }),
    result: Schema.Null,
    run: Effect.fn(function* ({ says }, agent) {
      for (const line of says) yield* agent.log(line)
      yield* agent.usage({ inputTokens: 10, outputTokens: 5, cost: 0.25 })
      yield* Deferred.await(gate)
      return null
    })
  })
  return { work, open: Deferred.succeed(gate, undefined) }
})

describe("a served host", () => {
  it.live("has its socket beside its store, for its owner alone", () =>
    Effect.gen(function* () {
      const { work } = yield* talker
      const { path, store } = yield* serve({ workflows: [work] })
      assert.strictEqual(path, `${store}.hosts/1.sock`)
      assert.strictEqual(lstatSync(path).mode & 0o777, 0o600)
      assert.strictEqual(lstatSync(dirname(path)).mode & 0o777, 0o700)
    })
  )

  it.live("says who it is and how it stands", () =>
    Effect.gen(function* () {
      const { work } = yield* talker
      const { fleet, store } = yield* serve({ workflows: [work], slots: 3 })
      const client = yield* clientOf(store)
      const greeting = yield* client.Hello()
      assert.deepInclude(greeting, { protocol: 1, host: 1, pid: process.pid })
      const standing = yield* client.Status()
      assert.deepInclude(standing.snapshot, { mode: "running", slots: 3, usedSlots: 0, host: 1 })
      assert.deepStrictEqual(
        standing.hosts.map(({ row, usedSlots }) => [row.host, usedSlots]),
        [[1, 0]]
      )
      yield* fleet.pause({ actor: "operator:ana", reason: "lunch" })
      const paused = yield* client.Status()
      assert.deepInclude(paused.open[0], { kind: "pause", actor: "operator:ana", reason: "lunch" })
      assert.strictEqual(paused.snapshot.mode, "paused")
    })
  )

  it.live("takes jobs, and streams their events and their agents' lines as they come", () =>
    Effect.gen(function* () {
      const { open, work } = yield* talker
      const { fleet, store } = yield* serve({ workflows: [work] })
      const client = yield* clientOf(store)
      const reading = yield* Effect.forkChild(
        client.Events({ after: 0 }).pipe(
          Stream.takeUntil(({ event }) => event === "complete"),
          Stream.runCollect
        )
      )
      const [submitted] = yield* client.Submit({
        submissions: [{ workflowType: "talk", payload: { says: ["one", "two"] } }],
        actor: "operator:ana"
      })
      const jobId = submitted?.jobId ?? ""
      const watched = yield* client.Watch({ everyMillis: 100 }).pipe(
        Stream.filter(({ agents }) => agents.some(({ spent }) => spent.cost !== null)),
        Stream.runHead
      )
      const agent = Option.getOrUndefined(watched)?.agents[0]
      assert.deepInclude(agent, { jobId, agentId: `agent:${jobId}`, workflow: "talk", lastLine: "two" })
      assert.deepStrictEqual(agent?.spent, { inputTokens: 10, outputTokens: 5, cost: 0.25 })
      const lines = yield* client.Lines({ jobId }).pipe(Stream.take(2), Stream.runCollect)
      assert.deepStrictEqual(
        lines.map(({ number, source, text }) => [number, source, text]),
        [
          [1, "log", "one"],
          [2, "log", "two"]
        ]
      )
      const listening = yield* Deferred.make<void>()
      const tail = yield* Effect.forkChild(
        client.Lines({ jobId }).pipe(
          Stream.tap(({ number }) => (number === 2 ? Deferred.succeed(listening, undefined) : Effect.void)),
          Stream.runCollect
        )
      )
      yield* Deferred.await(listening)
      yield* open
      yield* fleet.await(jobId)
      // It ends with its agent.
      assert.strictEqual((yield* Fiber.join(tail)).length, 2)
      const events = yield* Fiber.join(reading)
      assert.deepInclude(events[0], { event: "submit", actor: "operator:ana", jobId })
    })
  )

  it.live("loses no event of a busy fleet to one who reads on", () =>
    Effect.gen(function* () {
      const { open, work } = yield* talker
      yield* open
      const { fleet, store } = yield* serve({ workflows: [work], slots: 50 })
      const client = yield* clientOf(store)
      const reading = yield* Effect.forkChild(
        client.Events({ after: 0 }).pipe(
          Stream.filter(({ event }) => event === "complete"),
          Stream.take(300),
          Stream.runCollect
        )
      )
      const submissions = Array.from({ length: 300 }, (_, n) => ({
        workflowType: "talk",
        payload: { says: [String(n)] }
      }))
      yield* client.Submit({ submissions })
      const completed = yield* Fiber.join(reading)
      assert.strictEqual(new Set(completed.map(({ jobId }) => jobId)).size, 300)
      const all = yield* fleet.events({ after: 0 }).pipe(
        Stream.takeUntil(({ sequence }) => sequence === completed.at(-1)?.sequence),
        Stream.runCollect
      )
      const again = yield* client.Events({ after: 0 }).pipe(Stream.take(all.length), Stream.runCollect)
      assert.deepStrictEqual(again, all)
    })
  )

  it.live("is found in a folder with a path that is too long for a socket", () =>
    Effect.gen(function* () {
      const { work } = yield* talker
      const home = yield* folder("a".repeat(100))
      const { path, store } = yield* serve({ workflows: [work], store: `${home}/fleet.db` })
      assert.isAtMost(Buffer.byteLength(path), 103)
      assert.strictEqual(lstatSync(dirname(path)).mode & 0o777, 0o700)
      assert.strictEqual((yield* (yield* clientOf(store)).Hello()).host, 1)
    })
  )
})
