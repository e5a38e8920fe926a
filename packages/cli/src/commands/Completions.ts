import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

export const completions = Command.make(
  "completions",
  {
    shell: Argument.Literals("SHELL", ["bash", "zsh", "fish", "powershell"]).pipe(
      Argument.withDescription("The shell that shall complete muster's commands and flags")
    )
  },
  lazily(async () => (await import("../actions/Completions.ts")).completions)
).pipe(
  Command.withDescription(
    "A script that teaches your shell the command. bash: source <(muster completions bash); zsh: muster completions zsh > ~/.zfunc/_muster; fish: muster completions fish > ~/.config/fish/completions/muster.fish"
  ),
  Command.withShortDescription("Teach your shell the command")
)
