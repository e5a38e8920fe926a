/**
 * Commands are declared at every start, so that help and parsing know them all; what a command does is loaded when it is asked for.
 */
import * as Effect from "effect/Effect"

/** A handler that lives in a module which is loaded by its first use. */
export const lazily =
  <Input, E, R>(load: () => Promise<(input: Input) => Effect.Effect<void, E, R>>) =>
  (input: Input): Effect.Effect<void, E, R> =>
    Effect.flatMap(Effect.promise(load), (act) => act(input))
