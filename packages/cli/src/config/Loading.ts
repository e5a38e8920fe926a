/**
 * Reads a configuration: JSON as data, everything else as a module that Node.js runs itself, TypeScript by leaving its types out.
 */
import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, relative } from "node:path"
import { pathToFileURL } from "node:url"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { JsonFlag } from "../GlobalFlags.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { oneCopy } from "./OneCopy.ts"
import type { Problem } from "./Problems.ts"

/** A path as the caller would type it. */
export const asTyped = (path: string, cwd: string): string => {
  const near = relative(cwd, path)
  return near.startsWith("..") ? path : near === "" ? basename(path) : near
}

const whole = (detail: string): Problem => ({ path: "", detail })

const codeOf = (error: unknown): string =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" ? error.code : ""

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const lineOf = (error: unknown, path: string): string => {
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  const [, line] =
    new RegExp(`${pathToFileURL(path).href.replaceAll(/[.*+?^$()[\]{}|\\]/g, String.raw`\$&`)}:(\\d+)`).exec(
      stack
    ) ?? []
  return line === undefined ? "" : ` (line ${line})`
}

/** Why a module can't be loaded, and what to do about it. */
const refusal = (error: unknown, path: string): Problem => {
  const where = lineOf(error, path)
  switch (codeOf(error)) {
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return whole(
        `Node.js runs TypeScript by leaving its types out, and this is more than types: ${messageOf(error)}${where}; enums, namespaces and parameter properties have to be written as JavaScript`
      )
    case "ERR_INVALID_TYPESCRIPT_SYNTAX":
      return whole(`it is not TypeScript: ${messageOf(error)}${where}`)
    case "ERR_MODULE_NOT_FOUND":
    case "ERR_PACKAGE_PATH_NOT_EXPORTED":
      return whole(`an import can't be found: ${messageOf(error)}`)
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return whole("TypeScript inside node_modules is not run: move the file, or write it as JavaScript")
    default:
      return whole(
        error instanceof SyntaxError
          ? `it can't be read: ${error.message}${where}`
          : `it failed while it was loaded: ${messageOf(error)}${where}`
      )
  }
}

const parse = (path: string): Effect.Effect<unknown, Problem> =>
  Effect.try({
    try: (): unknown => JSON.parse(readFileSync(path, "utf8")),
    catch: (error) => whole(`it can't be read: ${messageOf(error)}`)
  })

/** After so long it is said that a module hasn't been loaded yet. */
const patience = "10 seconds"

/** One that waits for something while it is loaded may do so for ever: nothing stops it, but whoever waits is told why. */
const told = <A, E>(loading: Effect.Effect<A, E>, file: ConfigFile.ConfigFile): Effect.Effect<A, E> => {
  const name = asTyped(file.path, process.cwd())
  const saying = Effect.gen(function* () {
    yield* Effect.sleep(patience)
    if (Option.getOrElse(yield* Effect.serviceOption(JsonFlag), () => false)) return
    yield* Console.error(
      `${name} is still being loaded after ${patience}: it waits for something (a top-level await?).`
    )
  })
  return Effect.scoped(Effect.andThen(Effect.forkScoped(saying), loading))
}

const load = Effect.fnUntraced(function* (file: ConfigFile.ConfigFile) {
  oneCopy(file)
  const importing = Effect.tryPromise({
    try: async () => await import(/* @vite-ignore */ pathToFileURL(file.path).href),
    catch: (error) => refusal(error, file.path)
  })
  const loaded: unknown = yield* told(importing, file)
  // a file without import and export may be taken for CommonJS
  const exported = Predicate.hasProperty(loaded, "default") ? loaded.default : undefined
  if (exported !== undefined) return exported
  return yield* Effect.fail(whole("it has no default export: export default defineFleet({ … })"))
})

/** What the file says, unlooked at. */
export const read = (file: ConfigFile.ConfigFile): Effect.Effect<unknown, Problem> =>
  Effect.suspend(() => {
    if (!existsSync(file.path)) {
      const how = file.by === "environment" ? "MUSTER_CONFIG names it" : "--config names it"
      return Effect.fail(whole(`there is no such file, and ${how}`))
    }
    if (statSync(file.path).isDirectory())
      return Effect.fail(whole("it is a folder: name the file in it, as in muster.config.ts"))
    return ConfigFile.isCode(file) ? load(file) : parse(file.path)
  })
