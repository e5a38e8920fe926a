import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"
import * as WishFlags from "./WishFlags.ts"

export const prune = Command.make(
  "prune",
  {
    jobs: Argument.String("JOB").pipe(
      Argument.withDescription("Finished jobs, by id or number"),
      Argument.variadic()
    ),
    finishedBefore: Flag.String("finished-before").pipe(
      Flag.withMetavar("TIME"),
      Flag.withDescription(
        "Jobs that ended so long ago, as in 7d, or before an instant, as in 2030-01-31T09:00:00Z"
      ),
      Flag.optional
    ),
    keep: Flag.Int("keep").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription(
        "Finished jobs beyond so many, the oldest first; those with a dead letter aren't counted"
      ),
      Flag.filter(
        (count) => count >= 0,
        (count) => `Expected 0 or more, not ${count}`
      ),
      Flag.optional
    ),
    dryRun: Switch.make("dry-run").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Say how many would go, and forget none"),
      Flag.withDefault(false)
    ),
    vacuum: Switch.make("vacuum").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Make the file smaller afterwards; hosts can't write meanwhile"),
      Flag.withDefault(false)
    ),
    logs: Switch.make("logs").pipe(
      Flag.withoutNegation,
      Flag.withDescription("No job, only the lines of agents that are old or too many"),
      Flag.withDefault(false)
    ),
    reason: WishFlags.reason
  },
  lazily(async () => (await import("../actions/Prune.ts")).prune)
).pipe(
  Command.withDescription(
    "Forget finished jobs with all that belongs to them: events, retries, steps, results. Never one whose dead letter may be replayed, nor what a replay of it reads; naming such a job is refused. What their agents have said goes too, and what is beyond its own bounds. May run beside hosts. With --json one document."
  ),
  Command.withShortDescription("Forget finished jobs"),
  Command.withExamples([
    { command: "muster prune --finished-before 7d --dry-run" },
    { command: "muster prune --keep 10000 --vacuum" }
  ])
)
