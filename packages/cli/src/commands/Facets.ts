import * as Command from "effect/cli/Command"
import { constant } from "effect/Function"
import { lazily } from "../Lazily.ts"

export const facets = Command.make(
  "facets",
  {},
  lazily(async () => constant((await import("../actions/Facets.ts")).facets))
).pipe(
  Command.withDescription(
    "What the fleet holds itself against, one facet a line: how often it has its turn, whether its policy is there, what it has said last. With --json one facet a line."
  ),
  Command.withShortDescription("What the fleet holds itself against"),
  Command.withExamples([
    { command: "muster facets" },
    { command: `muster facets --json | jq -r 'select(.last) | .last.sentence'` }
  ])
)
