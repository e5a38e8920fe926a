import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"

const show = Command.make(
  "show",
  {
    mermaid: Flag.Boolean("mermaid").pipe(
      Flag.withoutNegation,
      Flag.withDescription("The diagrams, in mermaid's notation: lanes and seams, then each machine"),
      Flag.withDefault(false)
    )
  },
  lazily(async () => (await import("../actions/ModelShow.ts")).modelShow)
).pipe(
  Command.withDescription(
    "The model as it is declared: who acts, where they meet, the machines, the facets, and the invariants with the tier that follows from each. One JSON document."
  ),
  Command.withShortDescription("The model as it is declared")
)

export const model = Command.make("model").pipe(
  Command.withDescription("The model of the fleet: lanes, seams, machines, facets and invariants."),
  Command.withShortDescription("The model of the fleet"),
  Command.withSubcommands([show])
)
