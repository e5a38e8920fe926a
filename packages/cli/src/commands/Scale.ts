import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"
import * as WishFlags from "./WishFlags.ts"

const largest = 10_000

export const scale = Command.make(
  "scale",
  {
    slots: Argument.Int("N").pipe(
      Argument.withDescription("Agents at work at once on each host"),
      Argument.filter(
        (slots) => slots >= 1 && slots <= largest,
        (slots) => `Expected 1 to ${largest}, not ${slots}`
      ),
      Argument.optional
    ),
    reset: Switch.make("reset").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Back to what each host was started with"),
      Flag.withDefault(false)
    ),
    host: WishFlags.host,
    reason: WishFlags.reason,
    requestId: WishFlags.requestId
  },
  lazily(async () => (await import("../actions/Scale.ts")).scale)
).pipe(
  Command.withDescription(
    "Give hosts so many slots, whatever they were started with. New slots fill at once; agents beyond the slots finish, none is killed. One for all hosts holds for those that start later, too. With --json one document."
  ),
  Command.withShortDescription("Change the slots of running hosts"),
  Command.withExamples([{ command: "muster scale 8" }, { command: "muster scale 2 --host 3" }])
)
