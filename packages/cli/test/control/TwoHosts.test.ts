// Two hosts of one store, each with its socket: commands find both, and ask the one that they address.
import { assert, describe, it } from "@effect/vitest"
import { ControlClient } from "@muster/fleet/control"
import { Effect, Fiber, Stream } from "effect"
import { document } from "../CommandLine.ts"
import { host, live, served } from "./ServedStore.ts"

describe("two hosts of one store", () => {
  it.live("are both found, and status says that both answer", () =>
    Effect.gen(function* () {
      const { file, type } = yield* served
      yield* host(file, 4)
      const hosts = yield* ControlClient.hostsOf(file, 5_000)
      assert.deepStrictEqual(
        hosts.map((one) => one.host),
        [1, 2]
      )
      const status = document("muster status", (yield* type(["status", "--json"])).out[0])
      const told = status["hosts"] as ReadonlyArray<Record<string, unknown>> // by schema
      assert.deepStrictEqual(
        told.map((one) => [one["host"], one["answers"], one["slots"]]),
        [
          [1, true, 2],
          [2, true, 4]
        ]
      )
    }).pipe(Effect.provide(live))
  )

  it.live("take wishes for all of them from either, and one that names a host reaches that one", () =>
    Effect.gen(function* () {
      const { file, fleet, type } = yield* served
      const second = yield* host(file, 4)
      yield* type(["scale", "7", "--host", "2"])
      assert.strictEqual((yield* second.fleet.snapshot).slots, 7)
      assert.strictEqual((yield* fleet.snapshot).slots, 2)
      yield* type(["pause"])
      // The first was asked; the second sees it in the store.
      assert.strictEqual((yield* fleet.snapshot).mode, "paused")
      const until = (mode: string) =>
        Effect.repeat(Effect.andThen(Effect.yieldNow, second.fleet.snapshot), {
          until: (snapshot) => snapshot.mode === mode
        })
      yield* until("paused")
    }).pipe(Effect.provide(live))
  )

  it.live("stream the events of both, whichever is asked", () =>
    Effect.gen(function* () {
      const { file, fleet, open, work } = yield* served
      const second = yield* host(file, 4)
      const [first] = yield* ControlClient.hostsOf(file, 5_000)
      const jobId = (yield* second.fleet.submit(second.work, { n: 7 })).jobId
      const heard = yield* Effect.forkChild(
        (first?.client.Events({ after: 0 }) ?? Stream.empty).pipe(
          Stream.takeUntil((event) => event.event === "complete" && event.jobId === jobId),
          Stream.runCollect
        )
      )
      yield* open
      yield* second.open
      const events = yield* Fiber.join(heard)
      assert.deepStrictEqual(
        events.map(({ sequence }) => sequence),
        events.map((_, index) => index + 1)
      )
      assert.isTrue(work.name === second.work.name && fleet !== second.fleet)
    }).pipe(Effect.provide(live))
  )
})
