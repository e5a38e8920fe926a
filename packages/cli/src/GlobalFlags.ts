/**
 * What every command takes: the store's file, the configuration's, and the choice between people and machines. `yield*` one in a command to get its value.
 */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Switch from "./commands/Switch.ts"

/** Whether a name of a store is one that another command finds again. */
export const isFile = (name: string): boolean => !/^(:memory:|file:)/.test(name)

/** Where the store is when nobody says. */
export const defaultStore = ".muster/fleet.db"

/** The store's file as the flag gives it, relative to the working directory. `storePath` knows who else may say it. */
export const StoreFlag = GlobalFlag.Setting("store")({
  flag: Flag.String("store").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      `The fleet's store, one SQLite file (or MUSTER_STORE, or the configuration; default ${defaultStore})`
    ),
    // nor would a command find what another one has put into memory
    Flag.filter(isFile, (file) => `Expected a file, not ${file}: a store outlives the command`),
    Flag.optional
  )
})

/** The configuration's file as the flag gives it. */
export const ConfigFlag = GlobalFlag.Setting("config")({
  flag: Flag.String("config").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "The configuration (or MUSTER_CONFIG; default: muster.config.ts here or in a folder above)"
    ),
    Flag.optional
  )
})

/** True: standard output is JSON under stable names (docs/json.md), errors are JSON on standard error. */
export const JsonFlag = GlobalFlag.Setting("json")({
  flag: Switch.make("json").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Answer in JSON: see docs/json.md"),
    Flag.withDefault(false)
  )
})
