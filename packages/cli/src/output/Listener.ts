/**
 * Whoever reads standard output may stop reading, as head does after its last line. What is left unsaid then is nobody's loss, and what
 * goes on printing asks whether to.
 */
import * as Effect from "effect/Effect"

let isGone = false

/** Keeps a reader that has gone from ending the process with an exception; called once, at the start. */
export const watch = (stream: NodeJS.WriteStream): void => {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
    // the stream itself forgets: standard streams seem writable again after each error
    isGone = true
  })
}

/** False as soon as a write has found nobody there. */
export const isListening: Effect.Effect<boolean> = Effect.sync(() => !isGone)
