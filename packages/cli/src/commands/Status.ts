import * as Command from "effect/cli/Command"
import { constant } from "effect/Function"
import { lazily } from "../Lazily.ts"

export const status = Command.make(
  "status",
  {},
  lazily(async () => constant((await import("../actions/Status.ts")).status))
).pipe(
  Command.withDescription(
    "The fleet at a glance: jobs by state and workflow, hosts, dead letters. One JSON document."
  ),
  Command.withShortDescription("The fleet at a glance")
)
