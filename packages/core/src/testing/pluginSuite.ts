/**
 * The conformance suite of the Plugin contract (ports/Plugin.ts). What a plugin contributes has a suite of its own, by kind.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { compile } from "../domain/ErrorCatalogue.ts"
import type { Contributions, Plugin } from "../ports/Plugin.ts"

export interface PluginUnderTest {
  readonly plugin: Plugin
  /**
   * Whether the plugin holds anything now (a file, a socket, a process), seen from outside. Left out for one that acquires
   * nothing.
   */
  readonly holds?: Effect.Effect<boolean, unknown>
  /** The same plugin where it can't be made: a wrong setting, a service that is away. Left out for one that can't fail. */
  readonly broken?: Plugin
}

export interface PluginSuiteOptions {
  /** For each test, in milliseconds; 30,000 unless set. */
  readonly timeout?: number
}

const semanticVersion = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

const kinds = ["runners", "workspaces", "gates", "landers", "observers", "facets", "workflows"] as const

/** The names that a plugin contributes, by kind. */
const names = (given: Contributions): ReadonlyArray<readonly [kind: string, names: ReadonlyArray<string>]> =>
  kinds.map((kind) => [kind, (given[kind] ?? []).map((one) => ("key" in one ? one.key : one.name))])

/** Registers the tests that every plugin must pass. */
export const pluginSuite = (
  name: string,
  acquire: Effect.Effect<PluginUnderTest, unknown, Scope.Scope>,
  options: PluginSuiteOptions = {}
): void => {
  const test = (title: string, truth: (subject: PluginUnderTest) => Effect.Effect<unknown, unknown>) =>
    it.live(title, () => Effect.scoped(Effect.flatMap(acquire, truth)), options.timeout ?? 30_000)

  describe(`${name} keeps the Plugin contract`, () => {
    test("has a name and a semantic version", ({ plugin }) =>
      Effect.sync(() => {
        assert.isNotEmpty(plugin.name)
        assert.match(plugin.version, semanticVersion)
      }))

    test("contributes things with names, each once a kind", ({ plugin }) =>
      Effect.gen(function* () {
        const given = yield* Effect.scoped(plugin.make)
        for (const [kind, found] of names(given)) {
          for (const one of found) assert.isNotEmpty(one, `one of its ${kind} has no name`)
          assert.strictEqual(new Set(found).size, found.length, `two of its ${kind} share a name`)
        }
      }))

    test("contributes rows that a catalogue can be made of", ({ plugin }) =>
      Effect.gen(function* () {
        const { codes = [] } = yield* Effect.scoped(plugin.make)
        yield* compile(codes)
      }))

    test("gives back what it holds when its scope is closed", ({ holds, plugin }) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        yield* plugin.make.pipe(Scope.provide(scope))
        if (holds !== undefined) assert.isTrue(yield* holds, "it holds something while it is loaded")
        yield* Scope.close(scope, Exit.void)
        if (holds !== undefined) assert.isFalse(yield* holds, "it holds something after it was unloaded")
      }))

    test("can be loaded again, and contributes the same", ({ plugin }) =>
      Effect.gen(function* () {
        const first = names(yield* Effect.scoped(plugin.make))
        assert.deepStrictEqual(names(yield* Effect.scoped(plugin.make)), first)
      }))

    test("can be interrupted while it is made, and holds nothing then", ({ holds, plugin }) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.scoped(plugin.make).pipe(Effect.forkChild({ startImmediately: true }))
        yield* Fiber.interrupt(fiber)
        if (holds !== undefined) assert.isFalse(yield* holds)
      }))

    test("says why it can't be made, and holds nothing then", ({ broken, holds }) =>
      Effect.gen(function* () {
        if (broken === undefined) return
        const error = yield* Effect.flip(Effect.scoped(broken.make))
        assert.strictEqual(error.plugin, broken.name)
        assert.isNotEmpty(error.detail)
        if (holds !== undefined) assert.isFalse(yield* holds)
      }))
  })
}
