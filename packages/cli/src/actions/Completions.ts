/**
 * `muster completions`: a script that teaches a shell the command, printed and nothing else.
 */
import * as Completions from "effect/cli/Completions"
import * as Console from "effect/Console"
import { muster } from "../Cli.ts"

export const completions = ({ shell }: { readonly shell: Completions.Shell }) =>
  Console.log(Completions.generate("muster", shell, Completions.fromCommand(muster)).trimEnd())
