import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { constant } from "effect/Function"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"

const once = lazily(async () => constant((await import("../actions/Status.ts")).status))
const again = lazily(async () => (await import("../actions/StatusWatch.ts")).statusWatch)

export const status = Command.make(
  "status",
  {
    watch: Switch.make("watch").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Again and again, in place on a terminal, until interrupted"),
      Flag.withDefault(false)
    ),
    interval: Flag.Finite("interval").pipe(
      Flag.withMetavar("SECONDS"),
      Flag.withDescription("Between two looks of --watch (default 2)"),
      Flag.filter(
        (seconds) => seconds >= 0.1 && seconds <= 3_600,
        (seconds) => `Expected 0.1 to 3600, not ${seconds}`
      ),
      Flag.withDefault(2)
    )
  },
  (input) => (input.watch ? again(input) : once(input))
).pipe(
  Command.withDescription(
    "The fleet at a glance: jobs by state and workflow, hosts, dead letters. With --json one document; with --watch one a line."
  ),
  Command.withShortDescription("The fleet at a glance"),
  Command.withExamples([{ command: "muster status" }, { command: "muster status --watch --interval 1" }])
)
