// Pause, resume, drain and scale as typed, with and without a host at hand: the commands say what the store says.
import { assert, layer } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

const wishes = "muster pause, resume, drain and scale"

/** A store with two jobs, and commands on it. */
const scene = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  for (const n of [1, 2]) yield* type(["submit", "-w", "count", `{"n":${n}}`])
  // loads the commands, so that the test clock doesn't run on while they are read from the disk
  for (const command of ["resume", "drain", "status"]) yield* type([command])
  const inStore = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(effect, SqliteStore.layer({ filename: file }))
  const status = Effect.map(type(["status", "--json"]), ({ out }) => document("muster status", out[0]))
  return { type, inStore, status }
})

layer(world)("steering a fleet", (it) => {
  it.effect("a pause is in force from its commit on, with who and why, until a resume", () =>
    Effect.gen(function* () {
      const { status, type } = yield* scene
      const said = yield* type(["pause", "--reason", "the API is down", "--json"])
      assert.strictEqual(said.exitCode, 0)
      const pause = document(wishes, said.out[0])
      assert.deepInclude(pause, { kind: "pause", host: null, outcome: null, mode: "paused" })
      assert.match(String(pause["actor"]), /^operator:./)
      const paused = yield* status
      assert.strictEqual(paused["mode"], "paused")
      assert.deepNestedInclude(paused, {
        "pauses[0].intent": pause["intent"],
        "pauses[0].actor": pause["actor"],
        "pauses[0].reason": "the API is down"
      })
      assert.match((yield* type(["status"])).out.join("\n"), /^paused +by operator:.*: the API is down$/m)
      const shown = document("muster show", (yield* type(["show", "1", "--json"])).out[0])
      assert.match(String(shown["next"]), /it is paused \(muster resume\)/)
      const resumed = document(wishes, (yield* type(["resume", "--json"])).out[0])
      assert.deepInclude(resumed, { kind: "resume", outcome: "resumed", mode: "running" })
      assert.deepInclude(yield* status, { mode: "running", pauses: [] })
      assert.deepInclude(document(wishes, (yield* type(["resume", "--json"])).out[0]), {
        outcome: "not_paused"
      })
    })
  )

  it.effect("a repeated request answers as the first one, and pauses nothing again (R24)", () =>
    Effect.gen(function* () {
      const { status, type } = yield* scene
      const request = ["pause", "--request-id", "once", "--json"]
      const first = document(wishes, (yield* type(request)).out[0])
      yield* type(["resume"])
      const again = document(wishes, (yield* type(request)).out[0])
      assert.deepInclude(again, { intent: first["intent"], outcome: "resumed", mode: "running" })
      assert.strictEqual((yield* status)["mode"], "running")
    })
  )

  it.effect("a drain is over at once where no host runs", () =>
    Effect.gen(function* () {
      const { status, type } = yield* scene
      for (const args of [
        ["drain", "--json"],
        ["drain", "--wait", "--json"]
      ]) {
        const said = yield* type(args)
        assert.strictEqual(said.exitCode, 0)
        assert.deepInclude(document(wishes, said.out[0]), { outcome: "drained", mode: "running" })
      }
      assert.deepInclude(yield* status, { drains: [] })
    })
  )

  it.effect("a drain is its host's to end while the host gives a sign of life: said so, or waited for", () =>
    Effect.gen(function* () {
      const { inStore, status, type } = yield* scene
      yield* inStore(
        Effect.gen(function* () {
          const host = yield* enlist
          yield* host.take(1)
          const drain = document(wishes, (yield* type(["drain", "--json"])).out[0])
          assert.deepInclude(drain, { outcome: null, mode: "draining" })
          assert.strictEqual((yield* status)["mode"], "draining")
          const one = document(wishes, (yield* type(["drain", "--host", "1", "--json"])).out[0])
          assert.deepInclude(one, { host: 1, outcome: null })
          const typing = yield* Effect.forkChild(type(["drain", "--wait", "--json"]))
          for (let n = 0; n < 10; n++) {
            yield* host.renew
            yield* TestClock.adjust("1 second")
          }
          assert.isUndefined(typing.pollUnsafe())
          yield* host.land(1, 7)
          yield* host.endWishes
          while (typing.pollUnsafe() === undefined) yield* TestClock.adjust(100)
          assert.deepInclude(document(wishes, (yield* Fiber.join(typing)).out[0]), { outcome: "drained" })
        })
      )
      assert.deepInclude(yield* status, { mode: "running", drains: [] })
    })
  )

  it.effect("a host that was killed holds a drain up no longer than its lease", () =>
    Effect.gen(function* () {
      const { inStore, type } = yield* scene
      yield* inStore(Effect.flatMap(enlist, (host) => host.take(1)))
      const typing = yield* Effect.forkChild(type(["drain", "--wait", "--json"]))
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(typing.pollUnsafe())
      for (let n = 0; n < 100 && typing.pollUnsafe() === undefined; n++) yield* TestClock.adjust("100 millis")
      assert.deepInclude(document(wishes, (yield* Fiber.join(typing)).out[0]), { outcome: "drained" })
    })
  )

  it.effect("a scale is in force for the hosts that it addresses, and status shows their slots", () =>
    Effect.gen(function* () {
      const { inStore, status, type } = yield* scene
      yield* inStore(
        Effect.gen(function* () {
          const host = yield* enlist
          yield* host.take(1)
          assert.deepNestedInclude(yield* status, { "hosts[0].slots": null, "hosts[0].used_slots": 1 })
          const all = document(wishes, (yield* type(["scale", "8", "--json"])).out[0])
          assert.deepInclude(all, { kind: "scale", host: null, slots: 8, outcome: null })
          assert.deepNestedInclude(yield* status, { "hosts[0].slots": 8 })
          const one = document(wishes, (yield* type(["scale", "2", "--host", "1", "--json"])).out[0])
          assert.deepInclude(one, { host: 1, slots: 2, outcome: null })
          assert.deepNestedInclude(yield* status, { "hosts[0].slots": 2 })
          assert.match((yield* type(["status"])).out.join("\n"), /host 1 \(1 of 2 slots, beat/)
          const reset = document(wishes, (yield* type(["scale", "--reset", "--json"])).out[0])
          assert.deepInclude(reset, { slots: null, outcome: "reset" })
          assert.deepNestedInclude(yield* status, { "hosts[0].slots": null })
        })
      )
    })
  )

  it.effect("what can't be meant is refused, and nothing is recorded", () =>
    Effect.gen(function* () {
      const { type } = yield* scene
      for (const args of [["scale"], ["scale", "0"], ["scale", "4", "--reset"], ["drain", "--host", "0"]])
        assert.strictEqual((yield* type(args)).exitCode, 2, args.join(" "))
      for (const args of [
        ["scale", "2", "--host", "7"],
        ["drain", "--host", "7"]
      ]) {
        const said = yield* type([...args, "--json"])
        assert.strictEqual(said.exitCode, 4, args.join(" "))
        assert.deepInclude(document("Failures", said.err), { code: "ORCH_HOST_NOT_FOUND" })
      }
    })
  )

  it.effect("without a store there is nothing to steer, and none is made", () =>
    Effect.gen(function* () {
      const { type } = yield* storeFolder
      for (const args of [["pause"], ["resume"], ["drain"], ["scale", "2"]])
        assert.strictEqual((yield* type(args)).exitCode, 4, args.join(" "))
    })
  )
})
