import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"

export const machine = Command.make(
  "machine",
  {
    name: Argument.Literals("NAME", ["job", "agent", "loop"]).pipe(
      Argument.withDescription("Which one; left out: all three"),
      Argument.optional
    ),
    mermaid: Switch.make("mermaid").pipe(
      Flag.withoutNegation,
      Flag.withDescription("The diagram, in mermaid's notation"),
      Flag.withDefault(false)
    )
  },
  lazily(async () => (await import("../actions/Machine.ts")).machine)
).pipe(
  Command.withDescription(
    "The state machines as the tables that move the fleet: every move, and the reasons that it may have. With --json one machine a line."
  ),
  Command.withShortDescription("The state machines")
)
