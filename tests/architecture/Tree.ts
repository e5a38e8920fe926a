// The files that the architecture rules look at, from the disk or planted by a test, and what kind of file each is.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { parse, type Source } from "./Source.ts"

export type Tree = ReadonlyArray<Source>

const root = join(import.meta.dirname, "../..")
const folders = ["packages", "tests", "scripts", "bench", "chaos", "examples"]
const skipped = new Set(["node_modules", "dist", "coverage"])
const isCode = (name: string): boolean => /\.(ts|js|mjs)$/.test(name)

const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name) || entry.name.startsWith(".")) return []
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return filesUnder(path)
    return entry.isFile() && isCode(entry.name) ? [path] : []
  })

/** The whole repository. */
export const fromDisk = (): Tree =>
  folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap(filesUnder)
    .map((path) => parse(path, readFileSync(join(root, path), "utf8")))

/** A repository of made-up files, to see that a rule can fail. */
export const planted = (files: Readonly<Record<string, string>>): Tree =>
  Object.entries(files).map(([path, text]) => parse(path, text))

export const packageOf = (path: string): string | null => /^packages\/([^/]+)\//.exec(path)?.[1] ?? null

export const isSource = (path: string): boolean => /^packages\/[^/]+\/src\//.test(path)
export const isDomain = (path: string): boolean => path.startsWith("packages/core/src/domain/")
export const isTestKit = (path: string): boolean => path.startsWith("packages/core/src/testing/")
/** What authors test with that needs a whole fleet. */
export const isSimulation = (path: string): boolean => path.startsWith("packages/fleet/src/testing/")
export const isTest = (path: string): boolean =>
  /^(packages\/[^/]+\/test|tests)\//.test(path) || /^chaos\/.*\.test\.ts$/.test(path)
export const isExample = (path: string): boolean => path.startsWith("examples/")
export const isStore = (path: string): boolean => /^packages\/store-[^/]+\/src\//.test(path)

/** Where code may touch the world: built-in adapters, the control server, stores and the command. */
export const isEdge = (path: string): boolean =>
  /^packages\/fleet\/src\/(adapters|control)\//.test(path) ||
  isStore(path) ||
  path.startsWith("packages/cli/src/")

/** The path that a relative import means, and null for the name of a package. */
export const target = (from: Source, specifier: string): string | null =>
  specifier.startsWith(".") ? posix.join(posix.dirname(from.path), specifier) : null
