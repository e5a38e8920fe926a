/**
 * Whoever reads standard output may stop reading, as head does after its last line: what is left unsaid then is nobody's loss. A disk that
 * takes no more is somebody's: it is said once, and in the exit code, and a fleet that is at work goes on. What goes on printing asks
 * whether to.
 */
import * as Effect from "effect/Effect"
import { failureText, ioExitCode } from "../Report.ts"

let isGone = false
let isLost = false

/** A success whose answer could not be written is none. */
export const exitCodeOf = (code: number): number => (code === 0 && isLost ? ioExitCode : code)

/**
 * Keeps an output that takes nothing more from ending the process with an exception; called once, at the start.
 * @param json how the loss of standard output is told
 */
export const watch = (given: NodeJS.Process, json: boolean): void => {
  const { stderr, stdout } = given
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    // the stream itself forgets: standard streams seem writable again after each error
    isGone = true
    if (error.code === "EPIPE" || isLost) return
    isLost = true
    const failure = {
      code: "io",
      message: `Standard output can't be written: ${error.message}.`,
      hint: "Some of the answer is missing: look at the disk that it is written to.",
      exit_code: ioExitCode
    }
    stderr.write(`${failureText(failure, json)}\n`)
    // for a command that has ended by now
    given.exitCode = exitCodeOf(Number(given.exitCode ?? 0))
  })
  // nobody is left to be told
  stderr.on("error", () => {})
}

/** False as soon as a write has found nobody there. */
export const isListening: Effect.Effect<boolean> = Effect.sync(() => !isGone)
