import * as Command from "effect/cli/Command"
import { constant } from "effect/Function"
import { lazily } from "../Lazily.ts"

export const spec = Command.make(
  "spec",
  {},
  lazily(async () => constant((await import("../actions/Spec.ts")).spec))
).pipe(
  Command.withDescription(
    "The lifecycle of the fleet at hand, from its configuration, its tables and its store, in Markdown: the state machines with what is forbidden, the idempotency strategy, what follows from each error code, the waits between attempts with their jitter, and the checklist of dead letters and replays, each item checked. Writes nothing. With --json one document."
  ),
  Command.withShortDescription("The fleet's lifecycle, in Markdown"),
  Command.withExamples([{ command: "muster spec > lifecycle.md" }])
)
