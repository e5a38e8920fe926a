/**
 * Where the store is: what `--store` says, else MUSTER_STORE, else the configuration of the folder at hand, else the default place.
 */
import { resolve } from "node:path"
import { ConfigInvalid } from "@muster/core"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { configured } from "../config/Configured.ts"
import { asTyped } from "../config/Loading.ts"
import { byDefault, type Origin } from "../config/Settings.ts"
import { ConfigFlag, defaultStore, isFile, StoreFlag } from "../GlobalFlags.ts"

export interface StoreSetting {
  /** Relative to the working directory, where it is below it. */
  readonly value: string
  readonly from: Origin
}

/** SQLite takes an empty name for a database that is thrown away. */
const named = Option.filter((file: string) => file !== "")

const fromEnvironment = Effect.map(Effect.option(Config.String("MUSTER_STORE")), named)

/** The store of a command line that doesn't say. */
const unsaid = Effect.gen(function* () {
  const env = yield* fromEnvironment
  if (Option.isSome(env)) {
    const from: Origin = { kind: "environment", name: "MUSTER_STORE" }
    if (isFile(env.value)) return { value: env.value, from }
    const detail = `expected a file, not ${env.value}: a store outlives the command`
    return yield* new ConfigInvalid({ path: "MUSTER_STORE", detail })
  }
  const found = yield* configured
  if (found === null) return { value: defaultStore, from: byDefault }
  const { store } = found.configuration.config
  const from: Origin = store === undefined ? byDefault : { kind: "file", name: found.name }
  return { value: asTyped(resolve(found.folder, store ?? defaultStore), process.cwd()), from }
})

export const storeSetting: Effect.Effect<
  StoreSetting,
  ConfigInvalid,
  Effect.Services<typeof StoreFlag> | Effect.Services<typeof ConfigFlag>
> = Effect.flatMap(StoreFlag, (flag): typeof unsaid | Effect.Effect<StoreSetting> => {
  const said = named(flag)
  return Option.isSome(said)
    ? Effect.succeed({ value: said.value, from: { kind: "flag", name: "--store" } })
    : unsaid
})

/** The store's file as the command is to open it. */
export const storePath = Effect.map(storeSetting, ({ value }) => value)
