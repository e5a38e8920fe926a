import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../Lazily.ts"

export const metrics = Command.make(
  "metrics",
  {
    host: Flag.Int("host").pipe(
      Flag.withMetavar("N"),
      Flag.withDescription("The host that is asked (default: the first that answers)"),
      Flag.optional
    )
  },
  lazily(async () => (await import("../actions/Metrics.ts")).metrics)
).pipe(
  Command.withDescription(
    "What a running host has counted and timed since its start, in the text format of Prometheus. To have it collected, see muster run --otlp."
  ),
  Command.withShortDescription("What a running host has counted")
)
