import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

export const explain = Command.make(
  "explain",
  {
    subject: Argument.String("JOB|AGENT|CODE").pipe(
      Argument.withDescription(
        "A job, as in k3f9qx-17 or 17; an agent, as in agent:k3f9qx-17; or a code, as in EXT_PROCESS_FAILED"
      )
    )
  },
  lazily(async () => (await import("../actions/Explain.ts")).explain)
).pipe(
  Command.withDescription(
    "Why it stands as it does, what keeps it from running, what happens next and when, and what you can do; of a code what it means and what follows from it. With --json one document."
  ),
  Command.withShortDescription("Why, what next, and what you can do")
)
