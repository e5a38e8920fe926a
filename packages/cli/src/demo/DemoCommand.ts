/**
 * `muster demo`: the command line of it. What it does is loaded when it is asked for.
 */
import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

export const demoCommand = Command.make(
  "demo",
  {},
  lazily(async () => (await import("./Demo.ts")).demo)
).pipe(
  Command.withDescription(
    "A fleet of real processes reads files of Muster itself, in a few seconds: one agent fails twice and recovers, one falls silent and is recovered, one job is bad and ends in the dead-letter queue. The store stays, to be looked at."
  ),
  Command.withShortDescription("Watch a small fleet at work")
)
