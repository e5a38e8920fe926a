// The handlers without a socket: what each question of the contract does and answers.
import { assert, describe, it } from "@effect/vitest"
import { ScriptedRunner } from "@muster/core/testing"
import { Effect, Fiber, Layer, Result, Stream } from "effect"
import { RpcTest } from "effect/rpc"
import * as MemoryStore from "../../src/adapters/MemoryStore.ts"
import { ControlRpc } from "../../src/control/ControlRpc.ts"
import { handlers } from "../../src/control/ControlServer.ts"
import { Fleet } from "../../src/Fleet.ts"
import { numbers, scriptedWorkflow } from "../fleet/Scripted.ts"

const { fail, insistUntil, succeed, waitFor } = ScriptedRunner

/** A host, its fleet and somebody who asks it. */
const asked = Effect.fnUntraced(function* (slots = 2) {
  const { scripted, work } = scriptedWorkflow(({ n }) =>
    n === 0 ? [fail("DQ_BAD")] : n === 1 ? [insistUntil("gate"), succeed(n)] : [waitFor("gate"), succeed(n)]
  )
  const fleetLayer = Fleet.layer({ workflows: [work], slots, stop: "1 second" })
  const context = yield* Layer.build(
    Layer.provideMerge(handlers, Layer.provideMerge(fleetLayer, MemoryStore.layer()))
  )
  const client = yield* Effect.provide(RpcTest.makeClient(ControlRpc), context)
  const submit = (n: number) =>
    Effect.map(
      client.Submit({ submissions: [{ workflowType: "work", payload: n }], actor: "operator:ana" }),
      ([one]) => one?.jobId ?? ""
    )
  return { client, scripted, submit, fleet: yield* Effect.provide(Fleet, context) }
})

const wish = { actor: "operator:ana", reason: "so" }

describe("a host that is asked", () => {
  it.live("pauses, resumes and scales at once, and answers with the rows of the store", () =>
    Effect.gen(function* () {
      const { client, fleet } = yield* asked()
      const paused = yield* client.Pause(wish)
      assert.deepInclude(paused.row, { kind: "pause", actor: "operator:ana", reason: "so", outcome: null })
      assert.deepStrictEqual(paused.open, [paused.row])
      assert.strictEqual((yield* fleet.snapshot).mode, "paused")
      const resumed = yield* client.Resume({})
      assert.deepInclude(resumed.row, { kind: "resume", outcome: "resumed", actor: "caller:host-1" })
      assert.deepStrictEqual(resumed.open, [])
      yield* client.Scale({ slots: 9, host: 1 })
      assert.strictEqual((yield* fleet.snapshot).slots, 9)
      const refused = yield* Effect.flip(client.Scale({ slots: 0 }))
      assert.strictEqual(refused._tag, "ORCH_CONFIG_INVALID")
      const nobody = yield* Effect.flip(client.Drain({ host: 99, wait: false }))
      assert.strictEqual(nobody._tag, "ORCH_HOST_NOT_FOUND")
    })
  )

  it.live("drains without making its caller wait, or until nothing runs", () =>
    Effect.gen(function* () {
      const { client, scripted, submit } = yield* asked()
      yield* submit(2)
      yield* scripted.started(1)
      const recorded = yield* client.Drain({ wait: false, requestId: "once" })
      assert.deepInclude(recorded.row, { kind: "drain", outcome: null })
      const waiting = yield* Effect.forkChild(client.Drain({ wait: true, requestId: "once" }))
      yield* scripted.release("gate")
      assert.deepInclude((yield* Fiber.join(waiting)).row, {
        intent: recorded.row.intent,
        outcome: "drained"
      })
    })
  )

  it.live("cancels, and says so when an agent takes longer than its caller waits", () =>
    Effect.gen(function* () {
      const { client, scripted, submit } = yield* asked()
      const quick = yield* submit(2)
      const done = yield* client.Cancel({ jobId: quick, waitMillis: 10_000, ...wish })
      assert.deepInclude(done, { jobId: quick, state: "CANCELLED", outcome: "cancelled" })
      const slow = yield* submit(1)
      yield* scripted.until((journal) => journal.some(({ assignment }) => assignment.payload === 1))
      const asking = yield* client.Cancel({ jobId: slow, waitMillis: 0, requestId: "slow" })
      assert.strictEqual(asking.jobId, slow)
      // It is recorded, whatever its caller heard of it.
      assert.isAbove(asking.intent, 0)
      yield* scripted.release("gate")
      const again = yield* client.Cancel({ jobId: slow, waitMillis: 10_000, requestId: "slow" })
      assert.deepInclude(again, { outcome: "cancelled", intent: asking.intent, state: "CANCELLED" })
      const unknown = yield* Effect.flip(client.Cancel({ jobId: "99", waitMillis: 0 }))
      assert.strictEqual(unknown._tag, "ORCH_JOB_NOT_FOUND")
      const late = yield* Effect.flip(client.Settle({ jobId: quick, waitMillis: 0, outcome: "done" }))
      assert.strictEqual(late._tag, "ORCH_SETTLE_TOO_LATE")
    })
  )

  it.live("replays a letter once, and pages its jobs", () =>
    Effect.gen(function* () {
      const { client, fleet, submit } = yield* asked()
      const dead = yield* submit(0)
      yield* fleet.await(dead)
      const first = yield* client.Replay({ jobId: dead, fresh: false, ...wish })
      const second = yield* client.Replay({ jobId: dead, fresh: false })
      assert.deepStrictEqual([first.duplicate, second.duplicate], [false, true])
      assert.strictEqual(second.jobId, first.jobId)
      const page = { state: null, workflow: null, after: 0, limit: 1 } as const
      const [one] = yield* client.Jobs(page)
      const [two] = yield* client.Jobs({ ...page, after: one?.seq ?? 0 })
      assert.deepStrictEqual([one?.jobId, two?.jobId], [dead, first.jobId])
      const stored = yield* client.Job({ jobId: dead })
      assert.deepInclude(stored, { payload: "0", result: null })
    })
  )

  it.live("counts on its board what a minute has brought, what waits and what is dead", () =>
    Effect.gen(function* () {
      const { client, fleet, scripted, submit } = yield* asked()
      yield* fleet.await(yield* submit(0))
      for (const n of numbers(5)) yield* submit(n + 10)
      yield* scripted.started(3)
      const board = yield* client.Watch({ everyMillis: 100 }).pipe(
        Stream.filter(({ agents, queue }) => agents.length === 2 && queue.length > 0),
        Stream.runHead
      )
      assert.isTrue(board._tag === "Some")
      if (board._tag === "None") return
      const { letters, queue, queueSampled, throughput, used, workflows } = board.value
      assert.deepStrictEqual([used, letters, queueSampled], [2, 1, 3])
      assert.deepInclude(queue[0], { workflow: "work", priority: 0, waiting: 3, nextDueAt: null })
      assert.deepInclude(throughput, { landed: 0, failed: 1 })
      assert.deepInclude(workflows[0]?.jobs, { PENDING: 3, PROCESSING: 2, DEAD_LETTERED: 1 })
    })
  )

  it.live("refuses what is out of bounds before the fleet hears of it", () =>
    Effect.gen(function* () {
      const { client, fleet } = yield* asked()
      const huge = yield* Effect.result(
        client.Submit({ submissions: [{ workflowType: "work", payload: "x".repeat(1_100_000) }] })
      )
      assert.isTrue(Result.isFailure(huge) && huge.failure._tag === "CONTRACT_PAYLOAD_TOO_LARGE")
      assert.strictEqual((yield* fleet.snapshot).tally.jobs.length, 0)
    })
  )
})
