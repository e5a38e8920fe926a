import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

export const timeline = Command.make(
  "timeline",
  {
    job: Argument.String("JOB").pipe(
      Argument.withDescription("A job's id, as in k3f9qx-17, or its number, as in 17")
    )
  },
  lazily(async () => (await import("../actions/Timeline.ts")).timeline)
).pipe(
  Command.withDescription(
    "The life of one job as a picture: a bar for each state on one scale of time, how long it took, and why it ended. With --json one document."
  ),
  Command.withShortDescription("The life of one job as a picture")
)
