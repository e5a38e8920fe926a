import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { eventsForPeople } from "../input/Limit.ts"
import { lazily } from "../Lazily.ts"
import * as PageFlags from "./PageFlags.ts"
import * as Switch from "./Switch.ts"

export const events = Command.make(
  "events",
  {
    job: Flag.String("job").pipe(
      Flag.withAlias("j"),
      Flag.withMetavar("JOB"),
      Flag.withDescription("Only events of this job, as in k3f9qx-17 or 17"),
      Flag.optional
    ),
    after: PageFlags.after(
      "SEQUENCE",
      "Only events after this one (default: the newest for people, from the first with --json)"
    ),
    limit: PageFlags.limit(eventsForPeople),
    follow: Switch.make("follow").pipe(
      Flag.withAlias("f"),
      Flag.withoutNegation,
      Flag.withDescription("Go on with events as they come, until interrupted"),
      Flag.withDefault(false)
    )
  },
  lazily(async () => (await import("../actions/Events.ts")).events)
).pipe(
  Command.withDescription(
    "The audit: every move of every job and agent with its reason, actor and time, in the store's order. With --json one event a line."
  ),
  Command.withShortDescription("The audit of every move"),
  Command.withExamples([
    { command: "muster events --job 17" },
    { command: "muster events --follow --json | jq -c 'select(.error_code)'" }
  ])
)
