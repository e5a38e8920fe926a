import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"
import * as WishFlags from "./WishFlags.ts"

export const cancel = Command.make(
  "cancel",
  {
    job: Argument.String("JOB").pipe(
      Argument.withDescription("A job's id, as in k3f9qx-17, or its number, as in 17")
    ),
    reason: WishFlags.reason,
    wait: Flag.Finite("wait").pipe(
      Flag.withMetavar("SECONDS"),
      Flag.withDescription("How long to wait for the job's host to answer (default 10)"),
      Flag.filter(
        (seconds) => seconds >= 0,
        (seconds) => `Expected 0 or more, not ${seconds}`
      ),
      Flag.withDefault(10)
    ),
    requestId: WishFlags.requestId
  },
  lazily(async () => (await import("../actions/Cancel.ts")).cancel)
).pipe(
  Command.withDescription(
    "Cancel a job. A waiting one is cancelled at once; a working one by its host, which the command waits for. Says so only when the store does. With --json one document."
  ),
  Command.withShortDescription("Cancel a job"),
  Command.withExamples([{ command: 'muster cancel 17 --reason "wrong input"' }])
)
