// How long a file may be, what it may be called, and where a service's id points.
import { at, type Rule } from "./Rule.ts"
import type { Source } from "./Source.ts"
import { isExample, isSource, isTest } from "./Tree.ts"

const longest = (path: string): number => (isExample(path) ? 60 : isTest(path) ? 500 : 300)

export const shortFiles: Rule = {
  name: "a source file has at most 300 lines, a test file 500, an example 60",
  because: "a file is one concept, and splitting by concept is easy on day one and never again",
  check: (tree) =>
    tree
      .filter(({ lineCount, path }) => lineCount > longest(path))
      .map(({ lineCount, path }) => `${path} has ${lineCount} lines, more than ${longest(path)}`)
}

const vague = /^(utils?|helpers?|common|types?|misc)$/i

export const guessablePaths: Rule = {
  name: "no path says utils, helpers, common, types or misc",
  because: "a newcomer guesses the path of an idea from its name",
  check: (tree) =>
    tree
      .filter(({ path }) => path.split("/").some((part) => vague.test(part.replace(/(\.test)?\.\w+$/, ""))))
      .map(({ path }) => path)
}

const serviceMakers = new Set(["Service", "Reference"])

/** Ids given to Context.Service or Context.Reference, in both of their forms. */
const serviceIds = (source: Source): ReadonlyArray<readonly [line: number, id: string]> => {
  const ids: Array<readonly [number, string]> = []
  source.walk({
    CallExpression: ({ arguments: [id], callee }) => {
      const maker = callee.type === "CallExpression" ? callee.callee : callee
      if (maker.type !== "MemberExpression" || maker.object.type !== "Identifier") return
      if (maker.object.name !== "Context" || maker.property.type !== "Identifier") return
      if (!serviceMakers.has(maker.property.name)) return
      if (id?.type === "Literal" && typeof id.value === "string")
        ids.push([source.lineAt(id.start), id.value])
    }
  })
  return ids
}

export const serviceIdIsPath: Rule = {
  name: "a service's id is its path: @muster/<package>/<path below src>, with /<name> added for a second one in the file",
  because: "a missing-service message is a pointer",
  check: (tree) =>
    tree
      .filter(({ path }) => isSource(path))
      .flatMap((source) => {
        const expected = source.path.replace(/^packages\/([^/]+)\/src\/(.*)\.ts$/, "@muster/$1/$2")
        return serviceIds(source)
          .filter(([, id]) => id !== expected && !new RegExp(`^${expected}/\\w+$`).test(id))
          .map(([line, id]) => at(source, line, `${id} should be ${expected}`))
      })
}
