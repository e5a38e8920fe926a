// What comes out of a plugin's call: its answer, an error with its name, or an interruption from outside.
import { assert, describe, it } from "@effect/vitest"
import { PluginFailed } from "@muster/core"
import { Effect, Exit, Fiber } from "effect"
import { fence } from "../src/plugins/Fence.ts"

const call = (effect: () => Effect.Effect<unknown, unknown>) => fence("mine", "Gate.check", effect)

describe("the fence", () => {
  it.effect("lets answers through", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* call(() => Effect.succeed(1)), 1)
    })
  )

  for (const [what, detail, effect] of [
    ["a failure", "away", () => Effect.fail("away")],
    ["an error with a code", "no rows", () => Effect.fail({ _tag: "DQ_NO_ROWS", message: "no rows" })],
    ["a defect", "Error: a bug", () => Effect.die(new Error("a bug"))],
    [
      "a throw before there is an effect",
      "Error: a bug",
      () => {
        throw new Error("a bug")
      }
    ],
    ["an interruption of itself", "it interrupted itself", () => Effect.interrupt],
    ["no effect at all", "", () => undefined as never] // what a plugin in plain JavaScript may do
  ] as const) {
    it.effect(`turns ${what} into an error with the plugin's name, and keeps the cause`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(call(effect))
        assert.instanceOf(error, PluginFailed)
        assert.deepInclude(error, { plugin: "mine", operation: "Gate.check" })
        assert.include(error.detail, detail)
        assert.property(error, "cause")
      })
    )
  }

  it.effect("lets an interruption from outside pass as one", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        call(() => Effect.never),
        { startImmediately: true }
      )
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.hasInterrupts(exit))
      assert.isFalse(Exit.hasFails(exit))
    })
  )
})
