// Where time, chance, the world and effects may be touched.
import { at, type Rule } from "./Rule.ts"
import { isExplained, type Source } from "./Source.ts"
import { isDomain, isEdge, isSource, isStore, isTestKit, target } from "./Tree.ts"

/** Modules of effect that hold data and functions over it, without services, fibers or a clock. */
const dataModules = new Set([
  "Array",
  "BigInt",
  "Boolean",
  "Brand",
  "Cause",
  "Combiner",
  "Data",
  "DateTime",
  "Duration",
  "Equal",
  "Equivalence",
  "Exit",
  "Function",
  "Hash",
  "HashMap",
  "HashSet",
  "Iterable",
  "Match",
  "Number",
  "Option",
  "Order",
  "Predicate",
  "Record",
  "Reducer",
  "Result",
  "Schema",
  "SchemaGetter",
  "SchemaIssue",
  "SchemaTransformation",
  "String",
  "Struct",
  "Tuple"
])
const dataFunctions = new Set(["absurd", "constant", "flow", "hole", "identity", "pipe"])

/**
 * The waits between retries are Effect's Schedule, and a Schedule is stepped by an Effect: once, when the catalogue is built. What
 * decides reads the numbers.
 */
const scheduling: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/core/src/domain/RetryPolicy.ts": ["Schedule", "Effect", "Pull"],
  "packages/core/src/domain/ErrorCatalogue.ts": ["Effect"]
}

const isPure = (path: string, name: string): boolean =>
  dataModules.has(name) || dataFunctions.has(name) || scheduling[path]?.includes(name) === true

const impurity = (source: Source, specifier: string, names: ReadonlyArray<string>): string | null => {
  const path = target(source, specifier)
  if (path !== null) return isDomain(path) ? null : `imports ${specifier}, which is outside the domain`
  const deep = /^effect\/(\w+)$/.exec(specifier)?.[1]
  const modules = deep === undefined ? names : [deep]
  if (specifier !== "effect" && deep === undefined) return `imports ${specifier}`
  const impure = modules.filter((name) => !isPure(source.path, name))
  return impure.length === 0 ? null : `imports ${impure.join(", ")} from effect`
}

export const pureDomain: Rule = {
  name: "core/domain imports from effect only modules of data, and nothing else from outside the domain",
  because: "a decision is a function, and the model checker runs the very function that runs the fleet",
  check: (tree) =>
    tree
      .filter(({ path }) => isDomain(path))
      .flatMap((source) =>
        source.imports.flatMap(({ line, names, specifier }) => {
          const wrong = impurity(
            source,
            specifier,
            names.map(({ imported }) => imported)
          )
          return wrong === null ? [] : [at(source, line, wrong)]
        })
      )
}

const ambientMembers: Readonly<Record<string, ReadonlyArray<string> | "all">> = {
  Date: ["now"],
  DateTime: ["nowUnsafe", "nowInCurrentZone"],
  Math: ["random"],
  console: "all",
  crypto: ["randomUUID", "getRandomValues"],
  performance: "all",
  process: ["env", "hrtime", "uptime"]
}
const ambientFunctions = new Set([
  "clearImmediate",
  "clearInterval",
  "clearTimeout",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout"
])

const ambientUses = (source: Source): ReadonlyArray<readonly [line: number, what: string]> => {
  const uses: Array<readonly [number, string]> = []
  source.walk({
    MemberExpression: ({ object, property, start }) => {
      if (object.type !== "Identifier" || property.type !== "Identifier") return
      const members = Object.hasOwn(ambientMembers, object.name) ? ambientMembers[object.name] : undefined
      if (members === "all" || members?.includes(property.name) === true)
        uses.push([source.lineAt(start), `${object.name}.${property.name}`])
    },
    CallExpression: ({ callee, start }) => {
      if (callee.type === "Identifier" && ambientFunctions.has(callee.name))
        uses.push([source.lineAt(start), callee.name])
    },
    NewExpression: ({ callee, start }) => {
      if (callee.type === "Identifier" && callee.name === "Date")
        uses.push([source.lineAt(start), "new Date"])
    }
  })
  return uses
}

export const ambient: Rule = {
  name: "no Date.now, new Date, Math.random, timers, process.env or console in src, except in an adapter that says why",
  because: "time and chance are services, so that tests own them",
  check: (tree) =>
    tree
      .filter(({ path }) => isSource(path))
      .flatMap((source) =>
        ambientUses(source)
          .filter(([line]) => !isEdge(source.path) || !isExplained(source, line))
          .map(([line, what]) =>
            at(source, line, isEdge(source.path) ? `${what} without a comment that says why` : what)
          )
      )
}

const isEntryPoint = (source: Source): boolean =>
  source.path === "packages/cli/src/main.ts" ||
  source.comments.some(({ lastLine, text }) => lastLine <= 6 && /Promise facade/.test(text))

/** What a file calls the module `Effect`, and the functions that it took from it. */
const runners = (source: Source): { readonly modules: Set<string>; readonly functions: Set<string> } => {
  const modules = new Set<string>()
  const functions = new Set<string>()
  for (const { names, specifier } of source.imports) {
    for (const { imported, local } of names) {
      if (local === null) continue
      if (specifier === "effect" && imported === "Effect") modules.add(local)
      if (specifier === "effect/Effect" && imported === "*") modules.add(local)
      if (specifier === "effect/Effect" && imported.startsWith("run")) functions.add(local)
      if (imported === "runMain") functions.add(local)
    }
  }
  return { modules, functions }
}

export const oneEntryPoint: Rule = {
  name: "Effect.run* and runMain only in the command's main file, or in a Promise facade that says so in its header",
  because: "one place runs effects: there interruption, signals and exit codes are right",
  check: (tree) =>
    tree
      .filter((source) => isSource(source.path) && !isEntryPoint(source))
      .flatMap((source) => {
        const { functions, modules } = runners(source)
        const uses: Array<string> = []
        source.walk({
          MemberExpression: ({ object, property, start }) => {
            if (object.type !== "Identifier" || property.type !== "Identifier") return
            if (
              (modules.has(object.name) && /^run([A-Z]|$)/.test(property.name)) ||
              property.name === "runMain"
            )
              uses.push(at(source, source.lineAt(start), `${object.name}.${property.name}`))
          },
          CallExpression: ({ callee, start }) => {
            if (callee.type === "Identifier" && functions.has(callee.name))
              uses.push(at(source, source.lineAt(start), callee.name))
          }
        })
        return uses
      })
}

const sqlText =
  /^\s*(SELECT\s[\s\S]*\sFROM\s|SELECT\s+\d|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(UNIQUE\s+)?(TABLE|INDEX|VIEW|TRIGGER)\s|ALTER\s+TABLE\s|DROP\s+(TABLE|INDEX|VIEW)\s|PRAGMA\s|BEGIN\s+IMMEDIATE)/

export const sqlTextInStores: Rule = {
  name: "SQL text only in store-*",
  because: "the core is portable, and a statement outside the store passes the fence by",
  check: (tree) =>
    tree
      .filter(({ path }) => isSource(path) && !isStore(path) && !isTestKit(path))
      .flatMap((source) => {
        const found: Array<string> = []
        const look = (text: string, start: number) => {
          if (sqlText.test(text))
            found.push(at(source, source.lineAt(start), JSON.stringify(text.trim().slice(0, 40))))
        }
        source.walk({
          Literal: ({ start, value }) => {
            if (typeof value === "string") look(value, start)
          },
          TemplateLiteral: ({ quasis, start }) => {
            look(quasis.map(({ value }) => value.raw).join("?"), start)
          }
        })
        return found
      })
}
