import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

export const backup = Command.make(
  "backup",
  {
    file: Argument.String("FILE").pipe(
      Argument.withDescription("The copy; a file that is there is left alone")
    )
  },
  lazily(async () => (await import("../actions/Backup.ts")).backup)
).pipe(
  Command.withDescription(
    "Copy the store into one file while hosts work on it: all that was committed when it began, whole. With --json one document."
  ),
  Command.withShortDescription("Copy the store while hosts work"),
  Command.withExamples([{ command: "muster backup fleet-monday.db" }])
)
