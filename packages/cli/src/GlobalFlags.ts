/**
 * What every command takes: the store's file and the choice between people and machines. `yield*` one in a command to get its value.
 */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Config from "effect/Config"

/** Where the store is when nobody says. */
export const defaultStore = ".muster/fleet.db"

/** The store's file as it was given, relative to the working directory. */
export const StoreFlag = GlobalFlag.Setting("store")({
  flag: Flag.String("store").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(`The fleet's store, one SQLite file (or MUSTER_STORE; default ${defaultStore})`),
    Flag.withFallbackConfig(Config.String("MUSTER_STORE")),
    Flag.withDefault(defaultStore),
    // SQLite takes an empty name for a database that is thrown away
    Flag.map((file) => (file === "" ? defaultStore : file)),
    // nor would a command find what another one has put into memory
    Flag.filter(
      (file) => !/^(:memory:|file:)/.test(file),
      (file) => `Expected a file, not ${file}: a store outlives the command`
    )
  )
})

/** True: standard output is JSON under stable names (docs/json.md), errors are JSON on standard error. */
export const JsonFlag = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Answer in JSON: see docs/json.md"),
    Flag.withDefault(false)
  )
})
