// What stands between the exporters and a collector that never answers.
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import { TestClock } from "effect/testing"
import * as CollectorClient from "../../src/observability/CollectorClient.ts"

const deaf = HttpClient.make(() => Effect.never)

const guarded = CollectorClient.make({ shutdown: "1 second" }).pipe(
  Effect.provideService(HttpClient.HttpClient, deaf)
)

const told = <A, E>(exit: Exit.Exit<A, E>): string => (Exit.isFailure(exit) ? String(exit.cause) : "answered")

it.effect("a request has ten seconds, and so many are under way that memory is bounded", () =>
  Effect.gen(function* () {
    const { client } = yield* guarded
    const asked = yield* Effect.forEach(Array.from({ length: 8 }), () =>
      Effect.forkChild(Effect.exit(client.get("http://collector/v1/traces")))
    )
    yield* TestClock.adjust("9999 millis")
    const early = asked.filter((fiber) => fiber.pollUnsafe() !== undefined)
    // What is too much is refused at once, and never tried again: it is no failure of the network.
    assert.strictEqual(early.length, 2)
    for (const fiber of early) {
      const exit = yield* Fiber.join(fiber)
      assert.include(told(exit), "doesn't keep up")
      assert.isTrue(Exit.isFailure(exit) && Exit.hasDies(exit))
    }
    yield* TestClock.adjust("1 millis")
    for (const fiber of asked.slice(0, 6)) assert.include(told(yield* Fiber.join(fiber)), "doesn't answer")
    // There is room again.
    const next = yield* Effect.forkChild(Effect.exit(client.get("http://collector/v1/traces")))
    yield* TestClock.adjust("1 second")
    assert.isUndefined(next.pollUnsafe())
  })
)

it.effect("the end waits for what is under way, and no longer than it may", () =>
  Effect.gen(function* () {
    const { client, close } = yield* guarded
    const asked = yield* Effect.forkChild(Effect.exit(client.get("http://collector/v1/traces")))
    yield* TestClock.adjust("5 seconds")
    yield* close
    yield* TestClock.adjust("999 millis")
    assert.isUndefined(asked.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.include(told(yield* Fiber.join(asked)), "slow")
  })
)
