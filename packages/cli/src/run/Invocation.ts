/**
 * How the one at the keyboard reaches this command, so that what we tell them to type works as typed: by its name, through a package
 * manager, or by its file.
 */
import { existsSync } from "node:fs"
import { basename, delimiter, join, relative } from "node:path"
import { defaultStore } from "../GlobalFlags.ts"

/** What is known of how the process was started. */
export interface Started {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The script, as Node.js was given it. */
  readonly script: string
  /** What Node.js was given before the script. */
  readonly flags: ReadonlyArray<string>
  readonly cwd: string
  readonly exists: (path: string) => boolean
  /** Where a command that doesn't say looks for the store; left out, where the environment says. */
  readonly store?: string
  /** The configuration that was named by a flag. */
  readonly config?: string
}

/** Folders that a package manager puts before PATH for what it starts; the shell of the caller doesn't have them. */
const isBorrowed = (folder: string): boolean => /node_modules|_npx|node-gyp-bin|dlx-/.test(folder)

const isOnPath = ({ env, exists }: Started, name: string): boolean =>
  (env["PATH"] ?? "")
    .split(delimiter)
    .some((folder) => folder !== "" && !isBorrowed(folder) && exists(join(folder, name)))

/** A word as a POSIX shell takes it for itself. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** The words that start this command. */
export const prefix = (started: Started): string => {
  const { env } = started
  const script = relative(started.cwd, started.script)
  const event = env["npm_lifecycle_event"]
  if (event === "demo" || event === "muster") {
    const [name = "npm", version = ""] = (env["npm_config_user_agent"] ?? "").split(" ")[0]?.split("/") ?? []
    if (isOnPath(started, name)) return name === "npm" ? "npm run muster --" : `${name} muster`
    return `npx -y ${name}@${version} muster`
  }
  if (isOnPath(started, "muster")) return "muster"
  if (event === "npx" || env["npm_command"] === "exec") return "npx muster"
  if (basename(script) === "muster" && script.startsWith(join("node_modules", ".bin"))) return "npx muster"
  return ["node", ...started.flags, script].map(quoted).join(" ")
}

/** This process. `known`: the settings of its command line, where they matter for what is to be typed next. */
export const started = (
  known: {
    readonly store?: { readonly value: string; readonly from: { readonly kind: string } }
    readonly config?: string | undefined
  } = {}
): Started => ({
  ...(known.store === undefined || known.store.from.kind === "flag" ? {} : { store: known.store.value }),
  ...(known.config === undefined ? {} : { config: known.config }),
  // The caller's environment is what tells how they reach us.
  env: process.env,
  script: process.argv[1] ?? "muster",
  flags: process.execArgv,
  cwd: process.cwd(),
  exists: existsSync
})

/** A command line to type that looks into the same store; what the environment and the configuration say need not be said again. */
export const commandLine = (
  from: Started,
  store: string,
  words: ReadonlyArray<string>,
  rest: ReadonlyArray<string> = []
): string => {
  const known = store === (from.store ?? from.env["MUSTER_STORE"] ?? defaultStore)
  return [
    prefix(from),
    ...words.map(quoted),
    ...(known ? [] : ["--store", quoted(store)]),
    ...(from.config === undefined ? [] : ["--config", quoted(from.config)]),
    ...rest.map(quoted)
  ].join(" ")
}
