import { assert, layer } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

/** A store with one job, a host that has taken it, and commands on both. */
const scene = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  yield* type(["submit", "-w", "count", '{"n":1}'])
  // loads the command, so that the test clock doesn't run on while it is read from the disk
  yield* type(["cancel", "99"])
  const inStore = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(effect, SqliteStore.layer({ filename: file }))
  return { type, inStore }
})

const cancelEvent = (lines: ReadonlyArray<string>) =>
  lines
    .map((line) => document("muster events, and muster run: a move", line))
    .find(({ event }) => event === "cancel")

layer(world)("muster cancel", (it) => {
  it.effect("cancels a waiting job itself while no host runs, and keeps the operator's words", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const said = yield* type(["cancel", "1", "--reason", "wrong input", "--json"])
      assert.strictEqual(said.exitCode, 0)
      assert.deepInclude(document("muster cancel", said.out[0]), {
        current_state: "CANCELLED",
        outcome: "cancelled",
        intent: null
      })
      const event = cancelEvent((yield* type(["events", "--job", "1", "--json"])).out)
      assert.deepInclude(event, {
        from_state: "PENDING",
        to_state: "CANCELLED",
        transition_reason: "operator",
        detail: { reason: "wrong input" }
      })
      assert.match(String(event?.["actor"]), /^operator:./)
    })
  )

  it.effect("asks the job's host, and says cancelled only when the store does", () =>
    Effect.gen(function* () {
      const { inStore, type } = yield* scene
      yield* inStore(
        Effect.gen(function* () {
          const host = yield* enlist
          yield* host.take(1)
          // The command loads its parts in real time, in which this test's clock runs far: it waits for days, not for its ten seconds.
          const words = ["cancel", "1", "--reason", "too slow", "--wait", "1000000", "--json"]
          const typing = yield* Effect.forkChild(type(words))
          // it waits for the store, which it asks every 100 ms
          while ((yield* host.carryOutCancels) === 0) {
            assert.isUndefined(typing.pollUnsafe())
            yield* TestClock.adjust(100)
          }
          while (typing.pollUnsafe() === undefined) yield* TestClock.adjust(100)
          const said = yield* Fiber.join(typing)
          assert.strictEqual(said.exitCode, 0)
          assert.deepInclude(document("muster cancel", said.out[0]), {
            current_state: "CANCELLED",
            outcome: "cancelled",
            intent: 1
          })
        })
      )
      const event = cancelEvent((yield* type(["events", "--job", "1", "--json"])).out)
      assert.deepInclude(event, { from_state: "PROCESSING", detail: { reason: "too slow" } })
    })
  )

  it.effect("says that nothing is decided yet when the host doesn't answer in time: exit code 75", () =>
    Effect.gen(function* () {
      const { inStore, type } = yield* scene
      yield* inStore(
        Effect.gen(function* () {
          const host = yield* enlist
          yield* host.take(1)
          const start = yield* Clock.currentTimeMillis
          const typing = yield* Effect.forkChild(type(["cancel", "1", "--wait", "2", "--json"]))
          while (typing.pollUnsafe() === undefined) yield* TestClock.adjust(100)
          assert.isAtLeast((yield* Clock.currentTimeMillis) - start, 2_000)
          const said = yield* Fiber.join(typing)
          assert.strictEqual(said.exitCode, 75)
          assert.deepInclude(document("muster cancel", said.out[0]), {
            current_state: "PROCESSING",
            outcome: "requested"
          })
        })
      )
      const shown = document("muster show", (yield* type(["show", "1", "--json"])).out[0])
      assert.isTrue(shown["cancel_requested"])
    })
  )

  it.effect("doesn't wait for a host that gives no sign of life", () =>
    Effect.gen(function* () {
      const { inStore, type } = yield* scene
      yield* inStore(Effect.flatMap(enlist, (host) => host.take(1)))
      yield* TestClock.adjust("1 minute")
      const said = yield* type(["cancel", "1"])
      assert.strictEqual(said.exitCode, 75)
      assert.include(said.err, "stays in force")
    })
  )

  it.effect("answers a repeated request with what came of the first", () =>
    Effect.gen(function* () {
      const { inStore, type } = yield* scene
      const request = ["cancel", "1", "--wait", "0", "--request-id", "once", "--json"]
      yield* inStore(
        Effect.gen(function* () {
          const host = yield* enlist
          yield* host.take(1)
          const first = document("muster cancel", (yield* type(request)).out[0])
          assert.deepInclude(first, { outcome: "requested" })
          const second = document("muster cancel", (yield* type(request)).out[0])
          assert.strictEqual(second["intent"], first["intent"])
          assert.strictEqual(yield* host.carryOutCancels, 1)
        })
      )
      const third = yield* type(request)
      assert.strictEqual(third.exitCode, 0)
      assert.deepInclude(document("muster cancel", third.out[0]), { outcome: "cancelled" })
    })
  )

  it.effect("comes too late for a job that is done, whose state stays", () =>
    Effect.gen(function* () {
      const { inStore, type } = yield* scene
      yield* inStore(
        Effect.gen(function* () {
          const host = yield* enlist
          yield* host.take(1)
          yield* host.land(1, 7)
        })
      )
      const said = yield* type(["cancel", "1", "--json"])
      assert.strictEqual(said.exitCode, 6)
      assert.deepInclude(document("Failures", said.err), { code: "ORCH_CANCEL_TOO_LATE" })
      const shown = document("muster show", (yield* type(["show", "1", "--json"])).out[0])
      assert.strictEqual(shown["current_state"], "COMPLETED")
    })
  )

  it.effect(
    "comes too late for a landing that has begun, and stays in force for the case that it fails",
    () =>
      Effect.gen(function* () {
        const { inStore, type } = yield* scene
        yield* type(["submit", "-w", "landing", '{"n":2}'])
        yield* inStore(
          Effect.gen(function* () {
            const host = yield* enlist
            yield* host.take(2)
            yield* host.land(2, 7)
            const said = yield* type(["cancel", "2", "--json"])
            assert.strictEqual(said.exitCode, 6)
            assert.deepInclude(document("Failures", said.err), { code: "ORCH_CANCEL_TOO_LATE" })
            const shown = document("muster show", (yield* type(["show", "2", "--json"])).out[0])
            assert.deepInclude(shown, { current_state: "PROCESSING", cancel_requested: true })
          })
        )
      })
  )

  it.effect("cancels a job that waits for its retry, and a second time changes nothing", () =>
    Effect.gen(function* () {
      const { inStore, type } = yield* scene
      yield* inStore(
        Effect.gen(function* () {
          const host = yield* enlist
          yield* host.take(1)
          yield* host.fail(1, "EXT_AWAY", "not now")
          yield* host.stop
        })
      )
      assert.strictEqual((yield* type(["cancel", "1"])).exitCode, 0)
      const events = (yield* type(["events", "--job", "1", "--json"])).out
      assert.strictEqual((yield* type(["cancel", "1"])).exitCode, 0)
      assert.deepStrictEqual((yield* type(["events", "--job", "1", "--json"])).out, events)
      const shown = document("muster show", (yield* type(["show", "1", "--json"])).out[0])
      assert.deepInclude(shown["agent"], { state: "tombstoned", disposition: "discarded" })
    })
  )

  it.effect("doesn't know a job of another store", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      const said = yield* type(["cancel", "zzzzzz-1"])
      assert.strictEqual(said.exitCode, 4)
      assert.include(said.err, "ORCH_JOB_NOT_FOUND")
    })
  )
})
