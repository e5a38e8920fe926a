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

const drift = Command.make(
  "drift",
  {
    mode: Flag.Literals("mode", ["audit", "block"]).pipe(
      Flag.withDescription("audit tells, block fails where anything has drifted"),
      Flag.withDefault("audit" as const)
    )
  },
  lazily(async () => (await import("../actions/ModelDrift.ts")).modelDrift)
).pipe(
  Command.withDescription(
    "Holds what is declared against what is there, both ways: states, events and reasons against the store's CHECKs, views and moves; error codes against the catalogue and what was raised; facets and invariants against what runs and checks them. One MODEL-DRIFT line for each difference, which names both sides. Writes nothing. With --mode block exit code 7 where there is one. One JSON document."
  ),
  Command.withShortDescription("Where the model and what runs differ"),
  Command.withExamples([{ command: "muster model drift --mode block" }])
)

export const model = Command.make("model").pipe(
  Command.withDescription("The model of the fleet: lanes, seams, machines, facets and invariants."),
  Command.withShortDescription("The model of the fleet"),
  Command.withSubcommands([show, drift])
)
