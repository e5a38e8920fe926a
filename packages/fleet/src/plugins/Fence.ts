/**
 * The fence around every call of a plugin: whatever it fails with, throws or answers against its contract becomes an error with the
 * plugin's name, and costs only the job at hand. An interruption from outside passes: it is no failure.
 */
import { Failure, isCode, PluginFailed } from "@muster/core"
import { Cause, Effect, Predicate, type Scope } from "effect"

/** The effect of a call that is made in here: it may throw before there is an effect, or give none. */
export const effectOf = <A, E, R>(call: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const effect = call()
    return Effect.isEffect(effect) ? effect : Effect.die(new TypeError("the call gave no effect"))
  })

const fenced = <A, E, R>(
  plugin: string,
  operation: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, PluginFailed, R> =>
  // A span a call (design, "Plugins"); none of these calls is hot.
  Effect.catchCause(
    Effect.withSpan(effect, operation, { attributes: { "muster.plugin": plugin } }),
    (cause) => {
      // A fiber that is interrupted from outside doesn't come here: without a failure the plugin has interrupted itself.
      const detail = Failure.fromCause(cause)?.message ?? "it interrupted itself"
      return Effect.fail(new PluginFailed({ plugin, operation, detail, cause: Cause.squash(cause) }))
    }
  )

/** Runs a plugin's call inside the fence. `operation` as in `Gate.check`. */
export const fence = <A, E, R>(
  plugin: string,
  operation: string,
  call: () => Effect.Effect<A, E, R>
): Effect.Effect<A, PluginFailed, R> => fenced(plugin, operation, effectOf(call))

/** Asks a plugin, in a scope of the call's own, for an answer that `read` holds against the contract. */
export const ask = <A, E, R>(
  plugin: string,
  operation: string,
  call: () => Effect.Effect<unknown, E, R>,
  read: (answer: unknown) => Effect.Effect<A, unknown>
): Effect.Effect<A, PluginFailed, Exclude<R, Scope.Scope>> =>
  fenced(plugin, operation, Effect.flatMap(Effect.scoped(effectOf(call)), read))

/** An error of the plugin's own whose tag is a code: it says what should follow. */
export interface Raised {
  readonly _tag: string
}

export const isRaised = (error: unknown): error is Raised =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && isCode(error._tag)

/** As `ask`; a failure that has a code is the job's own, and passes. What the plugin throws doesn't: nobody promised it. */
export const askRaising = <A, E, R>(
  plugin: string,
  operation: string,
  call: () => Effect.Effect<unknown, E, R>,
  read: (answer: unknown) => Effect.Effect<A, unknown>
): Effect.Effect<A, PluginFailed | Raised, Exclude<R, Scope.Scope>> => {
  const answered = Effect.flatMap(Effect.scoped(effectOf(call)), read).pipe(
    Effect.map((answer): Effect.Effect<A, Raised> => Effect.succeed(answer)),
    Effect.catchIf(isRaised, (raised) => Effect.succeed(Effect.fail(raised)))
  )
  return Effect.flatten(fenced(plugin, operation, answered))
}
