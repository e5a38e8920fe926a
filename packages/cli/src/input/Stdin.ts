/**
 * Standard input as one text, never more of it than asked for.
 */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

/** Whether somebody would have to type it. */
export const isTyped: Effect.Effect<boolean, never, Stdio.Stdio> = Effect.flatMap(
  Stdio.Stdio,
  ({ stdinIsTerminal }) => stdinIsTerminal
)

/** The whole of standard input; null when it is longer than `limitBytes`, whose rest is not read. */
export const readAll = Effect.fnUntraced(function* (limitBytes: number) {
  const { stdin } = yield* Stdio.Stdio
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* stdin.pipe(
    Stream.takeWhile((chunk) => {
      size += chunk.length
      chunks.push(chunk)
      return size <= limitBytes
    }),
    Stream.runDrain
  )
  return size > limitBytes ? null : Buffer.concat(chunks).toString("utf8")
})
