import * as Command from "effect/cli/Command"
import { findingsForPeople } from "../input/Limit.ts"
import { lazily } from "../Lazily.ts"
import * as PageFlags from "./PageFlags.ts"

export const audit = Command.make(
  "audit",
  { limit: PageFlags.limit(findingsForPeople) },
  lazily(async () => (await import("../actions/Audit.ts")).audit)
).pipe(
  Command.withDescription(
    "Reads the whole store and names what shouldn't be: jobs that nobody holds, broken chains of events, retries and letters against the rules, counts that don't add up. Writes nothing, and may run beside hosts. Exit code 0 when it is clean, 7 when a rule is broken. With --json one finding a line, then one with what was read."
  ),
  Command.withShortDescription("Name what shouldn't be"),
  Command.withExamples([
    { command: "muster audit" },
    { command: `muster audit --json | jq -c 'select(.severity == "fault")'` }
  ])
)
