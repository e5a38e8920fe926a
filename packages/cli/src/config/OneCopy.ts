/**
 * One copy of effect and of Muster in a process that runs a configuration's functions: values of two copies need not understand each other.
 * The project's own packages count where it has them, else those of this command, so that a configuration needs nothing installed beside it.
 */
import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { ConfigFile } from "./ConfigFile.ts"

const ours = /^@muster\/[\w-]+(\/|$)/
const effect = /^effect(\/|$)/

/** The first number of the version of the package that a module belongs to; null where that can't be told. */
const majorOf = (url: string): string | null => {
  const [, folder] = /^(file:.*\/node_modules\/effect\/)/.exec(url) ?? []
  if (folder === undefined) return null
  try {
    const [, major = null] =
      /"version":\s*"(\d+)\./.exec(readFileSync(fileURLToPath(`${folder}package.json`), "utf8")) ?? []
    return major
  } catch {
    return null
  }
}

type Resolve = (specifier: string, parent: string | undefined) => { readonly url: string }

/** The module by the first parent that has it. */
const firstOf = (resolve: Resolve, specifier: string, parents: ReadonlyArray<string | undefined>) => {
  const [parent, ...others] = parents
  if (others.length === 0) return resolve(specifier, parent)
  try {
    return resolve(specifier, parent)
  } catch {
    return firstOf(resolve, specifier, others)
  }
}

let registered = false

/** From now on the process resolves them so. */
export const oneCopy = (config: ConfigFile): void => {
  if (registered) return
  registered = true
  const project = pathToFileURL(config.path).href
  const folder = new URL(".", project).href
  const own = import.meta.url
  const majors = new Map<string, string | null>()
  const isOther = (url: string, wanted: string): boolean => {
    const major = majors.get(url) ?? majorOf(url)
    majors.set(url, major)
    return major !== null && major !== majorOf(wanted)
  }
  registerHooks({
    resolve: (specifier, context, next) => {
      if (!ours.test(specifier) && !effect.test(specifier)) return next(specifier, context)
      // what is handed on is written into the context, so the parent is taken down first
      const { parentURL: parent } = context
      const resolve = (name: string, parentURL: string | undefined) => next(name, { ...context, parentURL })
      if (ours.test(specifier)) return firstOf(resolve, specifier, [project, own, parent])
      // the effect of the fleet that counts; a project's code may have another one of another major version for itself
      const fleet = firstOf(resolve, "@muster/fleet", [project, own]).url
      const wanted = firstOf(resolve, specifier, [fleet, own, parent])
      try {
        const natural = resolve(specifier, parent)
        return isOther(natural.url, wanted.url) ? natural : wanted
      } catch {
        return wanted
      }
    },
    load: (url, context, next) => {
      // a project that doesn't say that its files are modules, or says that JavaScript is not, writes modules in TypeScript all the same
      const [path = url] = url.split("?")
      const isOwn = path.startsWith(folder) && !path.includes("/node_modules/")
      if (isOwn && path.endsWith(".ts")) return next(url, { ...context, format: "module-typescript" })
      return next(url, path === project && path.endsWith(".js") ? { ...context, format: "module" } : context)
    }
  })
}
