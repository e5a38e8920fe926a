import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"
import * as WishFlags from "./WishFlags.ts"

export const pause = Command.make(
  "pause",
  { reason: WishFlags.reason, requestId: WishFlags.requestId },
  lazily(async () => (await import("../actions/Pause.ts")).pause)
).pipe(
  Command.withDescription(
    "Let no host start anything new until muster resume. What runs goes on and lands, jobs may be submitted, and due retries wait. Holds for hosts that start later, too, and survives every restart. With --json one document."
  ),
  Command.withShortDescription("Start nothing new"),
  Command.withExamples([{ command: 'muster pause --reason "the API is down"' }])
)
