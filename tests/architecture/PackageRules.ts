// Which way imports go: between packages, inside one, and never in a circle.
import { at, type Rule } from "./Rule.ts"
import type { Source } from "./Source.ts"
import {
  isEdge,
  isExample,
  isSimulation,
  isSource,
  isStore,
  isTest,
  isTestKit,
  packageOf,
  target,
  type Tree
} from "./Tree.ts"

const packageName = (specifier: string): string | null => /^@muster\/([^/]+)/.exec(specifier)?.[1] ?? null

const mayImport = (importer: string, imported: string): boolean => {
  if (importer === "core" || imported === "cli") return false
  if (importer === "cli") return true
  return imported === "core"
}

export const inward: Rule = {
  name: "core imports no sibling, fleet and store-* import core alone, nothing imports cli",
  because: "dependencies point inward only, and fleet knows the Store contract but never a store",
  check: (tree) =>
    tree
      .filter(({ path }) => isSource(path))
      .flatMap((source) =>
        source.imports.flatMap(({ line, specifier }) => {
          const importer = packageOf(source.path)
          const path = target(source, specifier)
          const imported = path === null ? packageName(specifier) : packageOf(path)
          if (importer === null || imported === null || imported === importer) return []
          return mayImport(importer, imported) ? [] : [at(source, line, `${importer} imports ${imported}`)]
        })
      )
}

const isEntry = (specifier: string): boolean =>
  /^@muster\/([^/]+|core\/(testing|model)|fleet\/(testing|control|promise)|cli\/config)$/.test(specifier)

const entryViolation = (source: Source, specifier: string): string | null => {
  const own = packageOf(source.path)
  const path = target(source, specifier)
  if (path === null) {
    const imported = packageName(specifier)
    if (imported === null) return null
    if (!isEntry(specifier)) return `${specifier} is not an entry of its package`
    return isSource(source.path) && imported === own ? `${specifier} is this package: import the file` : null
  }
  if (!/\.(ts|js|mjs|json)$/.test(path)) return `${specifier} has no extension`
  if (packageOf(path) !== own && own !== null) return `${specifier} leaves the package: import it by name`
  if (own === null && packageOf(path) !== null && !path.endsWith("/package.json"))
    return `${specifier} reaches into a package: import it by name`
  return isSource(source.path) &&
    /^packages\/[^/]+\/src\/((testing|model|control|promise|config)\/)?index\.ts$/.test(path)
    ? `${specifier} is a barrel: import the file`
    : null
}

export const entries: Rule = {
  name: "across packages only a package's entry is imported, inside a package never the barrel",
  because: "the exports map is the API, and a barrel inside its own package makes circles",
  check: (tree) =>
    tree.flatMap((source) =>
      source.imports.flatMap(({ line, specifier }) => {
        const wrong = entryViolation(source, specifier)
        return wrong === null ? [] : [at(source, line, wrong)]
      })
    )
}

/** The files that load with a file: run-time imports, types and lazy imports left out. */
const loads = (tree: Tree): ReadonlyMap<string, ReadonlyArray<string>> => {
  const paths = new Set(tree.map(({ path }) => path))
  return new Map(
    tree.map((source) => [
      source.path,
      source.imports.flatMap(({ kind, specifier }) => {
        const path = kind === "value" ? target(source, specifier) : null
        return path !== null && paths.has(path) ? [path] : []
      })
    ])
  )
}

export const acyclic: Rule = {
  name: "run-time imports have no cycles",
  because: "a circle loads in an order that nobody chose, and no part of it can be understood alone",
  check: (tree) => {
    const graph = loads(tree)
    const cycles: Array<string> = []
    const done = new Set<string>()
    const visit = (path: string, trail: ReadonlyArray<string>): void => {
      const start = trail.indexOf(path)
      if (start >= 0) {
        cycles.push([...trail.slice(start), path].join(" -> "))
        return
      }
      if (done.has(path)) return
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
      done.add(path)
    }
    for (const path of graph.keys()) visit(path, [])
    return cycles
  }
}

const testKits: ReadonlyArray<{
  readonly specifier: string
  readonly holds: (path: string) => boolean
  /** Who may import it beside tests and itself. */
  readonly admits: (path: string) => boolean
}> = [
  { specifier: "@muster/core/testing", holds: isTestKit, admits: () => false },
  // `pnpm simulate` is a test of its own.
  { specifier: "@muster/fleet/testing", holds: isSimulation, admits: (path) => path.startsWith("scripts/") }
]

export const testKitOnlyInTests: Rule = {
  name: "core/testing and fleet/testing are imported only from tests",
  because: "a test runner must not reach users, and no fleet at work needs a simulation",
  check: (tree) =>
    tree
      .filter(({ path }) => !isTest(path) && !(isExample(path) && path.endsWith(".test.ts")))
      .flatMap((source) =>
        source.imports
          .filter(({ specifier }) => {
            const path = target(source, specifier)
            return testKits.some(
              (kit) =>
                (path === null ? specifier.startsWith(kit.specifier) : kit.holds(path)) &&
                !kit.holds(source.path) &&
                !kit.admits(source.path)
            )
          })
          .map(({ line, specifier }) => at(source, line, `imports ${specifier}`))
      )
}

export const testRunnerOnlyInTests: Rule = {
  name: "vitest is imported only from tests and from core/testing",
  because: "it is an optional peer dependency that hosts don't have",
  check: (tree) =>
    tree
      .filter(({ path }) => isSource(path) && !isTestKit(path))
      .flatMap((source) =>
        source.imports
          .filter(({ specifier }) => /^(vitest|@effect\/vitest)(\/|$)/.test(specifier))
          .map(({ line, specifier }) => at(source, line, `imports ${specifier}`))
      )
}

export const nodeAtTheEdge: Rule = {
  name: "node: modules and @effect/platform-node only in adapters, the control server, store-* and cli",
  because: "the core and the machinery are portable, and what touches the world is found in one place",
  check: (tree) =>
    tree
      .filter(({ path }) => isSource(path) && !isEdge(path))
      .flatMap((source) =>
        source.imports
          .filter(({ specifier }) => /^(node:|@effect\/platform-node)/.test(specifier))
          .map(({ line, specifier }) => at(source, line, `imports ${specifier}`))
      )
}

export const sqlInStores: Rule = {
  name: "effect/sql only in store-*",
  because: "the runtime knows the Store contract, and a store is free not to be SQL",
  check: (tree) =>
    tree
      .filter(({ path }) => isSource(path) && !isStore(path))
      .flatMap((source) =>
        source.imports
          .filter(({ specifier }) => /^(effect\/sql|@effect\/sql)/.test(specifier))
          .map(({ line, specifier }) => at(source, line, `imports ${specifier}`))
      )
}
