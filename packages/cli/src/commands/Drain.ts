import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"
import * as WishFlags from "./WishFlags.ts"

export const drain = Command.make(
  "drain",
  {
    host: WishFlags.host,
    wait: Switch.make("wait").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Return when nothing runs"),
      Flag.withDefault(false)
    ),
    reason: WishFlags.reason,
    requestId: WishFlags.requestId
  },
  lazily(async () => (await import("../actions/Drain.ts")).drain)
).pipe(
  Command.withDescription(
    "Let hosts take no new job until nothing runs; then they work on. To keep them idle, pause first. With --json one document."
  ),
  Command.withShortDescription("Let running agents finish, start no new ones meanwhile"),
  Command.withExamples([{ command: "muster pause && muster drain --wait" }])
)
