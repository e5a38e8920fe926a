// Each contract has a conformance suite, and each implementation a test that runs it.
import { at, type Rule } from "./Rule.ts"
import type { Source } from "./Source.ts"
import { isStore, isTest, isTestKit, target, type Tree } from "./Tree.ts"

/** The contracts of the design, by the interface that an author implements, with the suite that says what it promises. */
const ports: ReadonlyMap<string, string> = new Map([
  ["StoreDriver", "storeSuite"],
  ["Runner", "runnerSuite"],
  ["Workspaces", "workspacesSuite"],
  ["Gate", "gateSuite"],
  ["Lander", "landerSuite"],
  ["Observer", "observerSuite"],
  ["Facet", "facetSuite"],
  ["BuiltFacet", "facetSuite"],
  ["InterfaceReadyFacet", "facetSuite"],
  ["Plugin", "pluginSuite"]
])
const portFolder = "packages/core/src/ports/"

/** Interfaces that a file of ports declares a contract, in the first line of their file: "The … contract". */
const declared = (tree: Tree): ReadonlyArray<string> =>
  tree.flatMap(({ comments: [header], path }) => {
    const name = path.startsWith(portFolder) ? path.slice(portFolder.length).replace(/\.ts$/, "") : ""
    return name !== "" && /\bcontract:/.test(header?.text.slice(0, 80) ?? "") ? [name] : []
  })

const exported = (tree: Tree): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const source of tree) {
    if (!isTestKit(source.path)) continue
    source.walk({
      ExportNamedDeclaration: ({ declaration }) => {
        if (declaration?.type === "FunctionDeclaration" && declaration.id !== null)
          names.add(declaration.id.name)
        if (declaration?.type !== "VariableDeclaration") return
        for (const { id } of declaration.declarations) if (id.type === "Identifier") names.add(id.name)
      }
    })
  }
  return names
}

export const everyPortHasASuite: Rule = {
  name: "every contract has a conformance suite in core/testing",
  because: "the suite is the contract: an author's whole test file is one call of it",
  check: (tree) => {
    if (!tree.some(({ path }) => path.startsWith(portFolder))) return []
    const suites = exported(tree)
    const unlisted = declared(tree)
      .filter((name) => !ports.has(name))
      .map(
        (name) => `${portFolder}${name}.ts says that it is a contract: list it in PortRules.ts with its suite`
      )
    const missing = Array.from(ports)
      .filter(([, suite]) => !suites.has(suite))
      .map(([name, suite]) => `${name} has no ${suite}`)
    return [...unlisted, ...missing]
  }
}

interface Implementation {
  readonly source: Source
  readonly line: number
  readonly name: string
  readonly port: string
}

interface TypeNode {
  readonly type: string
}

/** The contract that a type annotation names: `Runner`, `Runner<R>`, `Effect.Effect<StoreDriver, …>`. */
const portOf = (text: string): string | undefined => {
  const inner = /^(?:Effect\.Effect|Layer\.Layer)<\s*([\s\S]*)$/.exec(text.trim())?.[1] ?? text.trim()
  const name = /^(\w+)/.exec(inner)?.[1] ?? ""
  return ports.has(name) && !/^\w+\s*(\[|\|)/.test(inner) ? name : undefined
}

const implementationsIn = (source: Source): ReadonlyArray<Implementation> => {
  const found: Array<Implementation> = []
  const add = (
    name: string,
    start: number,
    annotation: (TypeNode & { start: number; end: number }) | null
  ) => {
    const port = annotation === null ? undefined : portOf(source.text.slice(annotation.start, annotation.end))
    if (port !== undefined) found.push({ source, line: source.lineAt(start), name, port })
  }
  source.walk({
    ExportNamedDeclaration: ({ declaration }) => {
      if (declaration?.type === "FunctionDeclaration" && declaration.id !== null)
        add(declaration.id.name, declaration.start, declaration.returnType?.typeAnnotation ?? null)
      if (declaration?.type !== "VariableDeclaration") return
      for (const { id, init } of declaration.declarations) {
        if (id.type !== "Identifier") continue
        add(id.name, id.start, id.typeAnnotation?.typeAnnotation ?? null)
        if (init?.type === "ArrowFunctionExpression")
          add(id.name, id.start, init.returnType?.typeAnnotation ?? null)
        if (init?.type === "TSSatisfiesExpression") add(id.name, id.start, init.typeAnnotation)
      }
    }
  })
  return found
}

const implementers = /^packages\/fleet\/src\/(adapters|reflection)\//

/** What a test file calls and names, and which files it imports. */
const mentions = (source: Source) => {
  const calls = new Set<string>()
  const names = new Set<string>()
  source.walk({
    CallExpression: ({ callee }) => {
      if (callee.type === "Identifier") calls.add(callee.name)
    },
    Identifier: ({ name }) => {
      names.add(name)
    }
  })
  return { calls, names, files: new Set(source.imports.map(({ specifier }) => target(source, specifier))) }
}

export const everyImplementationRunsItsSuite: Rule = {
  name: "every implementation of a contract has a test that runs the contract's suite on it",
  because: "conformance is not optional, and memory is implementation number one",
  check: (tree) => {
    const tests = tree.filter(({ path }) => isTest(path)).map(mentions)
    return tree
      .filter(({ path }) => implementers.test(path) || isStore(path) || isTestKit(path))
      .flatMap(implementationsIn)
      .filter(
        ({ name, port, source }) =>
          !tests.some(
            ({ calls, files, names }) =>
              calls.has(ports.get(port) ?? "") && (names.has(name) || files.has(source.path))
          )
      )
      .map(({ line, name, port, source }) =>
        at(source, line, `${name} is a ${port}, and no test calls ${ports.get(port)} on it`)
      )
  }
}
