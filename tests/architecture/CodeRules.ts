// Error codes: one class each, with a tag that is a code, raised by somebody.
import { at, type Rule } from "./Rule.ts"
import type { Source } from "./Source.ts"
import { isSource, isTestKit, type Tree } from "./Tree.ts"

const isCode = (tag: string): boolean => /^(DQ|MATH|LEGAL|CONTRACT|ORCH|EXT)_[A-Z0-9_]+$/.test(tag)

interface CodeClass {
  readonly source: Source
  readonly line: number
  readonly code: string
  readonly className: string
  /** Where the tag stands in the text. */
  readonly tagStart: number
}

/**
 * `class Name extends Schema.TaggedError<Name>()("CODE", …)`, and Data.TaggedError where its tag is a code. Errors that cross a
 * boundary are encoded there, so they are Schema's; an error of Data with another tag stays inside its package.
 */
export const codeClasses = (tree: Tree): ReadonlyArray<CodeClass> =>
  tree
    .filter(({ path }) => isSource(path))
    .flatMap((source) => {
      const found: Array<CodeClass> = []
      source.walk({
        ClassDeclaration: ({ id, start, superClass }) => {
          if (id === null || superClass?.type !== "CallExpression") return
          const maker =
            superClass.callee.type === "CallExpression" ? superClass.callee.callee : superClass.callee
          if (maker.type !== "MemberExpression" || maker.property.type !== "Identifier") return
          if (!/^Tagged(Error|ErrorClass)$/.test(maker.property.name)) return
          const [tag] = superClass.arguments
          if (tag?.type !== "Literal" || typeof tag.value !== "string") return
          const isSchema = maker.object.type === "Identifier" && maker.object.name === "Schema"
          if (isSchema || isCode(tag.value))
            found.push({
              source,
              line: source.lineAt(start),
              code: tag.value,
              className: id.name,
              tagStart: tag.start
            })
        }
      })
      return found
    })

/** Answers a caller with the code of whatever ended the job, so it carries a code and is none. */
const carrier = "JobFailed"

export const tagIsCode: Rule = {
  name: "the tag of a Schema.TaggedError is a code (an error that never leaves its package is Data's)",
  because: "callers, the catalogue, exit codes and the audit all speak of an error by its code",
  check: (tree) =>
    codeClasses(tree)
      .filter(({ code }) => !isCode(code) && code !== carrier)
      .map(({ code, line, source }) => at(source, line, `${code} is no code`))
}

export const oneClassACode: Rule = {
  name: "each code is defined once",
  because: "two classes under one code can't be told apart by whoever catches them",
  check: (tree) => {
    const first = new Map<string, string>()
    return codeClasses(tree).flatMap(({ code, line, source }) => {
      const place = first.get(code)
      if (place !== undefined) return [at(source, line, `${code} is defined in ${place} already`)]
      first.set(code, source.path)
      return []
    })
  }
}

/** Where codes are listed rather than raised. */
const isList = (path: string): boolean => /\/domain\/(errors\/|\w*Catalogue\.ts$)/.test(path)

/** What run-time code makes, by `new Name(…)` or `new Errors.Name(…)`, and the texts in it, a code among them. */
const raisedIn = (tree: Tree) => {
  const made = new Set<string>()
  const texts = new Set<string>()
  const tags = new Set(codeClasses(tree).map(({ source, tagStart }) => `${source.path}:${tagStart}`))
  for (const source of tree) {
    if (!isSource(source.path) || isTestKit(source.path)) continue
    source.walk({
      NewExpression: ({ callee }) => {
        if (callee.type === "Identifier") made.add(callee.name)
        if (callee.type === "MemberExpression" && callee.property.type === "Identifier")
          made.add(callee.property.name)
      },
      Literal: ({ start, value }) => {
        if (typeof value !== "string" || !isCode(value)) return
        if (!isList(source.path) && !tags.has(`${source.path}:${start}`)) texts.add(value)
      }
    })
  }
  return { made, texts }
}

export const noDeadCodes: Rule = {
  name: "each code is raised somewhere outside tests",
  because: "a code that nobody raises is a promise in the docs that nothing keeps",
  check: (tree) => {
    const { made, texts } = raisedIn(tree)
    return codeClasses(tree)
      .filter(({ className, code }) => !made.has(className) && !texts.has(code))
      .map(({ className, code, line, source }) =>
        at(source, line, `no new ${className}: ${code} is never raised`)
      )
  }
}

/** What is wrong between the classes, the list of errors that core exports and the rows of the catalogue. */
export const catalogueProblems = (
  defined: ReadonlyArray<string>,
  listed: ReadonlyArray<string>,
  rows: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const prefixes = rows.filter((row) => row.endsWith("*") && row !== "*").map((row) => row.slice(0, -1))
  const isCovered = (code: string) =>
    rows.includes(code) || prefixes.some((prefix) => code.startsWith(prefix))
  const codes = defined.filter((code) => code !== carrier)
  return [
    ...codes.filter((code) => !listed.includes(code)).map((code) => `${code} is missing in orchErrors`),
    ...listed
      .filter((code) => !codes.includes(code))
      .map((code) => `${code} is in orchErrors without a class`),
    ...codes.filter((code) => !isCovered(code)).map((code) => `${code} has no row in the catalogue`),
    ...rows
      .filter((row) => !row.endsWith("*") && !codes.includes(row))
      .map((row) => `the catalogue has a row for ${row}, which no class defines`)
  ]
}
