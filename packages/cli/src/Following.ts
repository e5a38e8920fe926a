/**
 * What goes on until somebody interrupts it has done by then all that was wanted of it: such an interruption is no failure of the command.
 */
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"

let isWanted = false

/** Goes on until it is interrupted; the command then ends with 0. */
export const untilInterrupted = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.onInterrupt(effect, () =>
    Effect.sync(() => {
      isWanted = true
    })
  )

/** How the process ends: as always, but for what was to be interrupted. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  Runtime.defaultTeardown(exit, (code) => onExit(code === 130 && isWanted ? 0 : code))
