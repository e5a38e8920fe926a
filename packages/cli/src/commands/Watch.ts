import * as Command from "effect/cli/Command"
import { constant } from "effect/Function"
import { lazily } from "../Lazily.ts"

export const watch = Command.make(
  "watch",
  {},
  lazily(async () => constant((await import("../watch/Watch.ts")).watch))
).pipe(
  Command.withDescription(
    "A board of the fleet on the whole terminal: who is in the slots and what they say, what waits, is retried, is held back or dead, how fast it goes. Keys choose, read logs, cancel, pause, scale and replay; ? lists them, q leaves. It works beside running hosts, and without one it shows what the store says. Where standard output is no terminal: a line now and then; with --json: a status document a line."
  ),
  Command.withShortDescription("A live board of the fleet")
)
