import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"

export const tell = Command.make(
  "tell",
  {
    agent: Argument.String("AGENT").pipe(
      Argument.withDescription("An agent, as in agent:k3f9qx-17, or its job's id or number")
    ),
    text: Argument.String("TEXT").pipe(
      Argument.withDescription("What it is told; several words are one text"),
      Argument.variadic()
    ),
    type: Flag.String("type").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("The message's type, as the agent's workflow declares it"),
      Flag.withDefault("text")
    ),
    data: Flag.String("data").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("The payload, in place of a text"),
      Flag.optional
    ),
    priority: Flag.Int("priority").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("Larger is read first (default 0)"),
      Flag.optional
    ),
    requestId: Flag.String("request-id").pipe(
      Flag.withMetavar("ID"),
      Flag.withDescription("Repeating a message under the same id tells it once"),
      Flag.optional
    )
  },
  lazily(async () => (await import("../actions/Tell.ts")).tell)
).pipe(
  Command.withDescription(
    "Tell a living agent something: a line on a program's standard input, a message for a function. It goes through the running host that the agent lives on. With --json one document."
  ),
  Command.withShortDescription("Tell a living agent something"),
  Command.withExamples([
    { command: "muster tell 17 leave the tests alone" },
    { command: `muster tell 17 --type review --data '{"path":"README.md"}'` }
  ])
)
