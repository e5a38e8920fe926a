import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { jobsForPeople } from "../input/Limit.ts"
import { lazily } from "../Lazily.ts"
import * as PageFlags from "./PageFlags.ts"
import * as Switch from "./Switch.ts"
import * as WishFlags from "./WishFlags.ts"

const list = Command.make(
  "list",
  {
    limit: PageFlags.limit(jobsForPeople),
    after: PageFlags.after("CURSOR", "Go on after this cursor, as the last page said (default 0)"),
    discarded: Switch.make("discarded").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Also those that somebody has discarded"),
      Flag.withDefault(false)
    )
  },
  lazily(async () => (await import("../actions/DlqList.ts")).dlqList)
).pipe(
  Command.withDescription("Dead letters in the order of their arrival. With --json one letter a line."),
  Command.withShortDescription("Dead letters in the order of their arrival")
)

const job = Argument.String("JOB").pipe(Argument.withDescription("The id of the letter's job, or its number"))

const show = Command.make(
  "show",
  { job },
  lazily(async () => (await import("../actions/DlqShow.ts")).dlqShow)
).pipe(
  Command.withDescription(
    "One dead letter with its story: what failed, each try, the payload, its replays, what to do. With --json one document."
  ),
  Command.withShortDescription("One dead letter with its story")
)

const replay = Command.make(
  "replay",
  {
    jobs: Argument.String("JOB").pipe(
      Argument.withDescription("Jobs that were quarantined, failed or were cancelled, by id or number"),
      Argument.variadic()
    ),
    all: Switch.make("all").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Every dead letter that may be replayed and was not yet"),
      Flag.withDefault(false)
    ),
    code: Flag.String("code").pipe(
      Flag.withMetavar("CODE"),
      Flag.withDescription("Of all, those that failed with this code; EXT_* for all that begin so"),
      Flag.optional
    ),
    workflow: Flag.String("workflow").pipe(
      Flag.withAlias("w"),
      Flag.withMetavar("NAME"),
      Flag.withDescription("Of all, those of this workflow"),
      Flag.optional
    ),
    dryRun: Switch.make("dry-run").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Say what would be replayed, and do nothing"),
      Flag.withDefault(false)
    ),
    fresh: Switch.make("fresh").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Do finished steps again, too: their results are not taken over"),
      Flag.withDefault(false)
    ),
    reason: WishFlags.reason
  },
  lazily(async () => (await import("../actions/DlqReplay.ts")).dlqReplay)
).pipe(
  Command.withDescription(
    "Replay jobs as new ones with their whole envelope and budget, linked to the old ones. Each once: a second replay answers with the first one's job. One JSON line a job."
  ),
  Command.withShortDescription("Replay jobs as new ones, each once"),
  Command.withExamples([
    { command: "muster dlq replay 17" },
    { command: "muster dlq replay --all --code 'EXT_*' --dry-run" }
  ])
)

const discard = Command.make(
  "discard",
  { job, reason: WishFlags.reason },
  lazily(async () => (await import("../actions/DlqRule.ts")).dlqDiscard)
).pipe(
  Command.withDescription(
    "Give a dead letter up for good: it is not replayed any more, and retention may forget it. With --json one document."
  ),
  Command.withShortDescription("Give a dead letter up for good")
)

const allow = Command.make(
  "allow",
  { job, reason: WishFlags.reason },
  lazily(async () => (await import("../actions/DlqRule.ts")).dlqAllow)
).pipe(
  Command.withDescription(
    "Let a dead letter be replayed that its code or somebody has forbidden. The reason is kept in the audit. With --json one document."
  ),
  Command.withShortDescription("Let a dead letter be replayed")
)

const forbid = Command.make(
  "forbid",
  { job, reason: WishFlags.reason },
  lazily(async () => (await import("../actions/DlqRule.ts")).dlqForbid)
).pipe(
  Command.withDescription(
    "Keep a dead letter from being replayed until somebody allows it. The reason is kept in the audit. With --json one document."
  ),
  Command.withShortDescription("Keep a dead letter from being replayed")
)

const messages = Command.make(
  "messages",
  {
    limit: PageFlags.limit(jobsForPeople),
    after: PageFlags.after("CURSOR", "Go on after this cursor, as the last page said (default 0)")
  },
  lazily(async () => (await import("../actions/DlqMessages.ts")).dlqMessages)
).pipe(
  Command.withDescription(
    "Messages between agents that nobody has taken, with the reason, in the order of their arrival. The newest 1,000 are kept. With --json one message a line."
  ),
  Command.withShortDescription("Messages between agents that nobody has taken")
)

export const dlq = Command.make("dlq").pipe(
  Command.withDescription("The dead-letter queue: jobs that ended in quarantine."),
  Command.withShortDescription("Jobs that ended in quarantine"),
  Command.withSubcommands([list, show, replay, allow, forbid, discard, messages])
)
