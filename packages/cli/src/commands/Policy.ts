import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

export const policy = Command.make(
  "policy",
  {
    code: Argument.String("CODE").pipe(
      Argument.withDescription("An error code, as in EXT_RATE_LIMITED; left out: the whole catalogue"),
      Argument.optional
    )
  },
  lazily(async () => (await import("../actions/Policy.ts")).policy)
).pipe(
  Command.withDescription(
    "What follows from an error code: retries and their waits, dead letter, exit code, what to do. With --json one row a line; with CODE one document."
  ),
  Command.withShortDescription("What follows from an error code")
)
