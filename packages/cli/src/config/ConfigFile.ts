/**
 * Finds the configuration of a folder: in it, or in the nearest folder above. Needs nothing but Node.js, since it is asked before anything
 * else is loaded.
 */
import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/** In order of preference, where a folder has several. */
export const configNames = ["ts", "mts", "js", "mjs", "json"].map((ending) => `muster.config.${ending}`)

export interface ConfigFile {
  /** Absolute. */
  readonly path: string
  /** Who named it: nobody, then it was found. */
  readonly by: "folder" | "flag" | "environment"
}

export interface Where {
  /** As `--config` says; undefined where it isn't given. */
  readonly flag: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

const search = (folder: string): string | null => {
  const found = configNames.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (found !== undefined) return found
  const above = dirname(folder)
  return above === folder ? null : search(above)
}

/** The configuration that counts, whether or not a named one is there; null where none is named or found. */
export const find = ({ cwd, env, flag }: Where): ConfigFile | null => {
  if (flag !== undefined && flag !== "") return { path: resolve(cwd, flag), by: "flag" }
  const named = env["MUSTER_CONFIG"]
  if (named !== undefined && named !== "") return { path: resolve(cwd, named), by: "environment" }
  const path = search(resolve(cwd))
  return path === null ? null : { path, by: "folder" }
}

/** Whether it is a program and not data. */
export const isCode = ({ path }: ConfigFile): boolean => !path.endsWith(".json")
