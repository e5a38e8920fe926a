import * as Command from "effect/cli/Command"
import { lazily } from "../Lazily.ts"

const check = Command.make(
  "check",
  {},
  lazily(async () => {
    const { configCheck } = await import("../actions/ConfigCheck.ts")
    return () => configCheck
  })
).pipe(
  Command.withDescription(
    "Look at the configuration and name everything that is wrong with it: the place, what was expected there, what was found. Ends with the code of ORCH_CONFIG_INVALID when something is."
  ),
  Command.withShortDescription("Name everything that is wrong with the configuration")
)

const show = Command.make(
  "show",
  {},
  lazily(async () => {
    const { configShow } = await import("../actions/ConfigShow.ts")
    return () => configShow
  })
).pipe(
  Command.withDescription(
    "Every setting that a fleet of this folder runs with, and where it comes from: a flag, the environment, the configuration or the default."
  ),
  Command.withShortDescription("Every setting, and where it comes from")
)

export const config = Command.make("config").pipe(
  Command.withDescription("The configuration of this folder: muster.config.ts, here or in a folder above."),
  Command.withShortDescription("The configuration of this folder"),
  Command.withSubcommands([check, show])
)
