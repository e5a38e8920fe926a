/**
 * Whether this Node.js is one that Muster runs on, and whether all of Muster's packages at hand are of one version.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import manifest from "../../package.json" with { type: "json" }
import { type Diagnosis, of, some } from "./Diagnosis.ts"

const numbers = (version: string): ReadonlyArray<number> =>
  version
    .replace(/^[^\d]*/, "")
    .split(/[.-]/)
    .slice(0, 3)
    .map(Number)

/** Whether the one is the other, or newer. */
export const isAtLeast = (version: string, least: string): boolean => {
  const [one, other] = [numbers(version), numbers(least)]
  for (const [index, wanted] of other.entries()) {
    const has = one[index] ?? 0
    if (has !== wanted) return has > wanted
  }
  return true
}

const node = of("node")

export const nodeDiagnosis = (version: string): Diagnosis => {
  const { node: wanted } = manifest.engines
  return isAtLeast(version, wanted)
    ? node.ok(`Node.js ${version}`)
    : node.bad(`Node.js ${version}`, `Muster needs ${wanted}: install a newer one`)
}

const packages = ["@muster/core", "@muster/fleet", "@muster/store-sqlite"] as const

/** Where a package was found, and of which version it is. */
export interface Installed {
  readonly name: string
  readonly version: string
  /** `the command` or the project's folder. */
  readonly by: string
}

/** A package as a module there would get it; null: none. */
const installedAt = (name: string, from: string, by: string): Installed | null => {
  try {
    const path = createRequire(from).resolve(`${name}/package.json`)
    const { version } = JSON.parse(readFileSync(path, "utf8"))
    return typeof version === "string" ? { name, version, by } : null
  } catch {
    return null
  }
}

/** The packages of this command, and those of a project's folder. */
const installed = (folder: string): ReadonlyArray<Installed> =>
  [
    { from: import.meta.url, by: "this command", names: packages },
    { from: join(folder, "package.json"), by: folder, names: [...packages, manifest.name] }
  ].flatMap(({ by, from, names }) => names.flatMap((name) => installedAt(name, from, by) ?? []))

const versions = of("versions")

/** @param own the command's own version, which all others are held against */
export const versionDiagnosis = (found: ReadonlyArray<Installed>, own: string): Diagnosis => {
  const others = found.filter(({ version }) => version !== own)
  if (others.length === 0) return versions.ok(`Muster ${own}, all packages of one version`)
  return versions.bad(
    `this command is Muster ${own}, but ${some(others.map(({ by, name, version }) => `${name} of ${by} is ${version}`))}`,
    "install one version of all @muster packages"
  )
}

export const installedDiagnosis = (folder: string): Diagnosis =>
  versionDiagnosis(installed(folder), manifest.version)
