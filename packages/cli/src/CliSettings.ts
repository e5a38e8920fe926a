/**
 * The flags that every command line of ours has beside its own: help, version, completions and the level of what is logged.
 */
import * as CliConfig from "effect/cli/CliConfig"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"

const Completions = GlobalFlag.Action({
  flag: Flag.withMetavar(GlobalFlag.Completions.flag, "SHELL"),
  run: GlobalFlag.Completions.run
})

export const layer = CliConfig.layer({
  builtIns: [GlobalFlag.Help, GlobalFlag.Version, Completions, GlobalFlag.LogLevel]
})
