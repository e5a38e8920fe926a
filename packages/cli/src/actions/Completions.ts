/**
 * `muster completions`: a script that teaches a shell the command, printed and nothing else.
 */
import * as Completions from "effect/cli/Completions"
import * as Console from "effect/Console"
import type * as Effect from "effect/Effect"
import { muster } from "../Cli.ts"

/** Typed by hand: the command that it prints has it as a part. */
export const completions = ({ shell }: { readonly shell: Completions.Shell }): Effect.Effect<void> =>
  Console.log(Completions.generate("muster", shell, Completions.fromCommand(muster)).trimEnd())
