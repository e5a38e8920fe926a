import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

export const show = Command.make(
  "show",
  {
    job: Argument.String("JOB").pipe(
      Argument.withDescription("A job's id, as in k3f9qx-17, or its number, as in 17")
    )
  },
  lazily(async () => (await import("../actions/Show.ts")).show)
).pipe(
  Command.withDescription(
    "All about one job: its envelope, its agent as it stands, payload and result, its retries, its letter, its events, and what happens next. With --json one document."
  ),
  Command.withShortDescription("All about one job")
)
