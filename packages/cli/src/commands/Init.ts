import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"

export const init = Command.make(
  "init",
  {
    force: Flag.Boolean("force").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Overwrite files that are there"),
      Flag.withDefault(false)
    )
  },
  lazily(async () => (await import("../actions/Init.ts")).init)
).pipe(
  Command.withDescription(
    "Write a small working starting point for this folder: jobs.jsonl and agent.mjs, and say how to run them. One JSON document."
  ),
  Command.withShortDescription("A small working starting point")
)
