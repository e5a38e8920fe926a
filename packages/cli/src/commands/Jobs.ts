import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { jobsForPeople } from "../input/Limit.ts"
import { lazily } from "../Lazily.ts"
import * as PageFlags from "./PageFlags.ts"

export const jobs = Command.make(
  "jobs",
  {
    state: Flag.String("state").pipe(
      Flag.withMetavar("STATE"),
      Flag.withDescription("Only jobs in this state, as in muster machine job; small letters will do"),
      Flag.optional
    ),
    workflow: Flag.String("workflow").pipe(
      Flag.withAlias("w"),
      Flag.withMetavar("NAME"),
      Flag.withDescription("Only jobs of this workflow"),
      Flag.optional
    ),
    limit: PageFlags.limit(jobsForPeople),
    after: PageFlags.after("SEQ", "Only jobs after this number, the last part of a job's id (default 0)")
  },
  lazily(async () => (await import("../actions/Jobs.ts")).jobs)
).pipe(
  Command.withDescription("Jobs in order of arrival. With --json one envelope a line."),
  Command.withShortDescription("List jobs"),
  Command.withExamples([
    { command: "muster jobs --state dead_lettered" },
    { command: "muster jobs --json | jq -r .job_id" }
  ])
)
