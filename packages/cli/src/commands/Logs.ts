import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { linesForPeople } from "../input/Limit.ts"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"

export const logs = Command.make(
  "logs",
  {
    subject: Argument.String("AGENT|JOB").pipe(
      Argument.withDescription("An agent, as in agent:k3f9qx-17, or its job's id or number")
    ),
    follow: Switch.make("follow").pipe(
      Flag.withAlias("f"),
      Flag.withoutNegation,
      Flag.withDescription("Go on with lines as they come, until its agent has ended"),
      Flag.withDefault(false)
    ),
    lines: Flag.Int("lines").pipe(
      Flag.withAlias("n"),
      Flag.withMetavar("N"),
      Flag.withDescription(`The last N lines (default: ${linesForPeople} for people, all with --json)`),
      Flag.filter(
        (count) => count >= 0,
        (count) => `Expected 0 or more, not ${count}`
      ),
      Flag.optional
    ),
    life: Flag.Int("life").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Only what its Nth life has said; each attempt and each recovery is one"),
      Flag.filter(
        (life) => life >= 1,
        (life) => `Expected 1 or more, not ${life}`
      ),
      Flag.optional
    )
  },
  lazily(async () => (await import("../actions/Logs.ts")).logs)
).pipe(
  Command.withDescription(
    "What an agent has said: its lines and its progress, as they are kept beside the store for seven days, and as its host hears them. With --json one line a line."
  ),
  Command.withShortDescription("What an agent has said"),
  Command.withExamples([
    { command: "muster logs 17 --follow" },
    { command: "muster logs 17 --life 2 --lines 20" }
  ])
)
