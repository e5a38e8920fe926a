/**
 * The configuration of the folder at hand, for the commands: found, read and looked at once.
 */
import { dirname } from "node:path"
import type { ConfigInvalid } from "@muster/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { ConfigFlag } from "../GlobalFlags.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { type Configuration, configurationOf } from "./Configuration.ts"
import { asTyped, read } from "./Loading.ts"
import { invalid, type Problem } from "./Problems.ts"

export interface Configured {
  readonly file: ConfigFile.ConfigFile
  /** The file as the caller would type it. */
  readonly name: string
  /** The folder that its paths start from. */
  readonly folder: string
  readonly configuration: Configuration
}

export interface Refused {
  readonly name: string
  readonly problems: ReadonlyArray<Problem>
}

/** Where the configuration is; null where there is none. */
export const located = Effect.map(ConfigFlag, (flag) =>
  // where the command is typed, and what its environment says of it
  ConfigFile.find({ flag: Option.getOrUndefined(flag), env: process.env, cwd: process.cwd() })
)

/** What the configuration says, or all that is wrong with it; null where there is none. */
export const inspected = Effect.gen(function* () {
  const file = yield* located
  if (file === null) return null
  const name = asTyped(file.path, process.cwd())
  const said = yield* Effect.result(read(file))
  const checked = Result.flatMap(
    Result.mapError(said, (problem): ReadonlyArray<Problem> => [problem]),
    configurationOf
  )
  return Result.mapBoth(checked, {
    onSuccess: (configuration): Configured => ({ file, name, folder: dirname(file.path), configuration }),
    onFailure: (problems): Refused => ({ name, problems })
  })
})

/** The configuration; null where there is none. Fails where it can't be used. */
export const configured: Effect.Effect<
  Configured | null,
  ConfigInvalid,
  Effect.Services<typeof located>
> = Effect.flatMap(inspected, (found) => {
  if (found === null) return Effect.succeed(null)
  if (Result.isSuccess(found)) return Effect.succeed(found.success)
  return Effect.fail(invalid(found.failure.name, found.failure.problems))
})
