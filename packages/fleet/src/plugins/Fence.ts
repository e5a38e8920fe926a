/**
 * The fence around every call of a plugin: whatever it fails with, or throws, becomes an error with the plugin's name, and costs only the
 * job at hand. Interruption passes: it is no failure.
 */
import { Failure, PluginFailed } from "@muster/core"
import { Cause, Effect } from "effect"

/** Runs a plugin's call inside the fence. `operation` as in `Gate.check`. */
export const fence = <A, E, R>(
  plugin: string,
  operation: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, PluginFailed, R> =>
  // A span a call (design, "Plugins"); none of these calls is hot.
  Effect.catchCause(
    Effect.withSpan(effect, operation, { attributes: { "muster.plugin": plugin } }),
    (cause) => {
      const failure = Failure.fromCause(cause)
      // Nothing but interruptions: it goes on as one, and carries no error of the plugin.
      if (failure === null)
        return Effect.failCause(Cause.fromReasons(cause.reasons.filter(Cause.isInterruptReason)))
      return Effect.fail(
        new PluginFailed({ plugin, operation, detail: failure.message, cause: Cause.squash(cause) })
      )
    }
  )
