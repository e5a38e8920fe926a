// Types are documentation, so what weakens them is either forbidden or explained.
import { at, type Rule } from "./Rule.ts"
import { isExplained, type Source } from "./Source.ts"

const anyUses = (source: Source): ReadonlyArray<number> => {
  const constraints: Array<readonly [start: number, end: number]> = []
  const uses: Array<number> = []
  source.walk({
    TSTypeParameter: ({ constraint }) => {
      if (constraint !== null) constraints.push([constraint.start, constraint.end])
    },
    TSConditionalType: ({ extendsType }) => {
      constraints.push([extendsType.start, extendsType.end])
    },
    TSAnyKeyword: ({ start }) => {
      uses.push(start)
    }
  })
  return uses.filter((use) => !constraints.some(([start, end]) => start <= use && use < end))
}

export const noAny: Rule = {
  name: "no `any` outside generic constraints",
  because: "types are the docs, and any says nothing; use unknown, a generic or a Schema",
  check: (tree) =>
    tree.flatMap((source) => anyUses(source).map((use) => at(source, source.lineAt(use), "any")))
}

export const noNonNull: Rule = {
  name: "no non-null `!`",
  because: "it is a claim without a proof; narrow the value, or make the type say it",
  check: (tree) =>
    tree.flatMap((source) => {
      const found: Array<string> = []
      source.walk({
        TSNonNullExpression: ({ end }) => {
          found.push(at(source, source.lineAt(end), "!"))
        }
      })
      return found
    })
}

export const explainedCasts: Rule = {
  name: "an `as` or a @ts-expect-error has its reason in a comment beside it, and there is no @ts-ignore",
  because: "a cast overrules the compiler, and the next reader needs to know with what right",
  check: (tree) =>
    tree.flatMap((source) => {
      const found: Array<string> = []
      source.walk({
        TSAsExpression: ({ end, start, typeAnnotation }) => {
          const isConst =
            typeAnnotation.type === "TSTypeReference" &&
            typeAnnotation.typeName.type === "Identifier" &&
            typeAnnotation.typeName.name === "const"
          if (!isConst && !isExplained(source, source.lineAt(start), source.lineAt(end)))
            found.push(at(source, source.lineAt(typeAnnotation.start), "as without a reason"))
        },
        TSTypeAssertion: ({ start }) => {
          found.push(at(source, source.lineAt(start), "<T>value: use as, with its reason"))
        }
      })
      for (const { firstLine, text } of source.comments) {
        if (/^@ts-(ignore|nocheck)/.test(text)) found.push(at(source, firstLine, text.split(" ")[0] ?? text))
        if (/^@ts-expect-error\W*$/.test(text))
          found.push(at(source, firstLine, "@ts-expect-error without a reason"))
      }
      return found
    })
}
