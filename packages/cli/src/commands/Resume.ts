import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"
import * as WishFlags from "./WishFlags.ts"

export const resume = Command.make(
  "resume",
  { reason: WishFlags.reason, requestId: WishFlags.requestId },
  lazily(async () => (await import("../actions/Resume.ts")).resume)
).pipe(
  Command.withDescription(
    "End all pauses, whoever made them. Slots fill up one by one within two seconds, so that what has become due doesn't start in one instant. With --json one document."
  ),
  Command.withShortDescription("End all pauses")
)
