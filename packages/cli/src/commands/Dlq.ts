import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { jobsForPeople } from "../input/Limit.ts"
import { lazily } from "../Lazily.ts"
import * as PageFlags from "./PageFlags.ts"

const list = Command.make(
  "list",
  {
    limit: PageFlags.limit(jobsForPeople),
    after: PageFlags.after("CURSOR", "Go on after this cursor, as the last page said (default 0)")
  },
  lazily(async () => (await import("../actions/DlqList.ts")).dlqList)
).pipe(Command.withDescription("Dead letters in the order of their arrival. With --json one letter a line."))

const show = Command.make(
  "show",
  {
    job: Argument.String("JOB").pipe(Argument.withDescription("The id of the letter's job, or its number"))
  },
  lazily(async () => (await import("../actions/DlqShow.ts")).dlqShow)
).pipe(
  Command.withDescription(
    "One dead letter with its story: what failed, each try, the payload, what to do. One JSON document."
  )
)

export const dlq = Command.make("dlq").pipe(
  Command.withDescription("The dead-letter queue: jobs that ended in quarantine."),
  Command.withShortDescription("Jobs that ended in quarantine"),
  Command.withSubcommands([list, show])
)
