import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

export const init = Command.make(
  "init",
  {},
  lazily(async () => {
    const { init: write } = await import("../actions/Init.ts")
    return () => write
  })
).pipe(
  Command.withDescription(
    "Write a small working configuration for this folder: muster.config.ts, agent.mjs and jobs.jsonl, and say how to run them. Overwrites nothing. With --json one document."
  ),
  Command.withShortDescription("A small working configuration")
)
