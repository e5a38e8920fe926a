import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"
import * as Switch from "./Switch.ts"

export const doctor = Command.make(
  "doctor",
  {
    fix: Switch.make("fix").pipe(
      Flag.withoutNegation,
      Flag.withDescription(
        "Mend what harms no live holder: sockets, processes, workspaces and logs that were left, hosts that are proven gone"
      ),
      Flag.withDefault(false)
    ),
    deep: Switch.make("deep").pipe(
      Flag.withoutNegation,
      Flag.withDescription("Read the store's file whole, however large it is"),
      Flag.withDefault(false)
    )
  },
  lazily(async () => (await import("../actions/Doctor.ts")).doctor)
).pipe(
  Command.withDescription(
    "Everything around a fleet that may be wrong: Node.js and versions, configuration, the store's file, disk, clock, hosts, sockets, leftover processes and workspaces, logs. Says what was found and what to do; may run beside hosts. Ends with 0 when nothing is bad, else with 7. With --json one document."
  ),
  Command.withShortDescription("What may be wrong around a fleet, and what to do"),
  Command.withExamples([{ command: "muster doctor" }, { command: "muster doctor --fix" }])
)
