import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"
import * as WishFlags from "./WishFlags.ts"

const answer = (name: string, description: string) =>
  Switch.make(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

export const settle = Command.make(
  "settle",
  {
    job: Argument.String("JOB").pipe(
      Argument.withDescription("A job's id, as in k3f9qx-17, or its number, as in 17")
    ),
    marker: Argument.String("MARKER").pipe(
      Argument.withDescription("The step, where more than one is in question"),
      Argument.optional
    ),
    done: answer("done", "It was done: later lives of the agent get its result back"),
    result: Flag.String("result").pipe(
      Flag.withMetavar("JSON"),
      Flag.withDescription("With --done: the step's result (default null)"),
      Flag.optional
    ),
    notDone: answer("not-done", "It was not done: the next life of the agent does it"),
    fail: answer(
      "fail",
      "Nobody can tell, or it must not go on: the job ends as a dead letter; needs --reason"
    ),
    wait: Flag.Finite("wait").pipe(
      Flag.withMetavar("SECONDS"),
      Flag.withDescription("How long to wait for the job's host to answer (default 10)"),
      Flag.filter(
        (seconds) => seconds >= 0,
        (seconds) => `Expected 0 or more, not ${seconds}`
      ),
      Flag.withDefault(10)
    ),
    reason: WishFlags.reason,
    requestId: WishFlags.requestId
  },
  lazily(async () => (await import("../actions/Settle.ts")).settle)
).pipe(
  Command.withDescription(
    "Say what became of a step of which nobody knows whether it was done: its agent started it and ended before it could tell. The job is parked until then; muster show names the step. Look at what the step writes to, then answer. Works with and without a running host. With --json one document."
  ),
  Command.withShortDescription("Say what became of a step that a job asks about"),
  Command.withExamples([
    { command: `muster settle 17 --done --result '{"id":7}'` },
    { command: "muster settle 17 charge-card --not-done" },
    { command: 'muster settle 17 --fail --reason "the account is closed"' }
  ])
)
