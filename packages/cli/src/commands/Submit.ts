import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"

export const submit = Command.make(
  "submit",
  {
    payload: Argument.String("PAYLOAD").pipe(
      Argument.withDescription("The payload as JSON; - or nothing: read it from standard input"),
      Argument.optional
    ),
    workflow: Flag.String("workflow").pipe(
      Flag.withAlias("w"),
      Flag.withMetavar("NAME"),
      Flag.withDescription("The kind of job"),
      Flag.optional
    ),
    key: Flag.String("key").pipe(
      Flag.withAlias("k"),
      Flag.withMetavar("KEY"),
      Flag.withDescription("Idempotency key (default: a hash of workflow and payload)"),
      Flag.optional
    ),
    priority: Flag.Int("priority").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Larger first (default 0)"),
      Flag.optional
    ),
    maxRetries: Flag.Int("max-retries").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Retries after the first attempt (default 4)"),
      Flag.optional
    ),
    runAt: Flag.String("run-at").pipe(
      Flag.withMetavar("ISO"),
      Flag.withDescription("Not before this instant, as in 2030-01-31T09:00:00Z"),
      Flag.optional
    ),
    correlationId: Flag.String("correlation-id").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("Shared by all jobs of one cause (default: the job's id)"),
      Flag.optional
    )
  },
  lazily(async () => (await import("../actions/Submit.ts")).submit)
).pipe(
  Command.withDescription(
    "Hand in one job for whichever host serves its workflow. The same key with the same payload answers with the job that is there; with another payload it is a conflict."
  ),
  Command.withShortDescription("Hand in one job"),
  Command.withExamples([
    { command: `muster submit --workflow review '{"path":"README.md"}'` },
    { command: "jq -c . job.json | muster submit --workflow review --key readme -" }
  ])
)
