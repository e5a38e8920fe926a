// A source file as the architecture rules see it: its text, its comments, its imports and a walk over its syntax.
import { parseSync, Visitor, type VisitorObject } from "vite"

/** `value` is loaded at run time with the file, `dynamic` later, `type` never. */
type ImportKind = "value" | "type" | "dynamic"

interface ImportedName {
  /** The name in the module it comes from; `*` for the whole module. */
  readonly imported: string
  /** The name in this file; null for a re-export. */
  readonly local: string | null
}

interface Import {
  readonly specifier: string
  readonly kind: ImportKind
  readonly names: ReadonlyArray<ImportedName>
  readonly line: number
}

interface Comment {
  readonly text: string
  readonly firstLine: number
  readonly lastLine: number
}

export interface Source {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly lineCount: number
  readonly comments: ReadonlyArray<Comment>
  readonly imports: ReadonlyArray<Import>
  readonly walk: (visitor: VisitorObject) => void
  readonly lineAt: (offset: number) => number
}

const lineStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...Array.from(text.matchAll(/\n/g), (match) => match.index + 1)
]

const lineCounter = (text: string) => {
  const starts = lineStarts(text)
  return (offset: number): number => starts.findLastIndex((start) => start <= offset) + 1
}

const countLines = (text: string): number =>
  text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

const nameOf = (node: { readonly type: string }): string =>
  "name" in node && typeof node.name === "string"
    ? node.name
    : "value" in node && typeof node.value === "string"
      ? node.value
      : node.type

const importsOf = (walk: Source["walk"], lineAt: Source["lineAt"]): ReadonlyArray<Import> => {
  const found: Array<Import> = []
  const add = (
    at: number,
    specifier: string,
    kind: ImportKind,
    names: ReadonlyArray<ImportedName> = [{ imported: "*", local: null }]
  ) => found.push({ specifier, kind, names, line: lineAt(at) })
  walk({
    ImportDeclaration: (node) => {
      const names = node.specifiers.map((specifier) => ({
        imported: specifier.type === "ImportSpecifier" ? nameOf(specifier.imported) : "*",
        local: specifier.local.name
      }))
      add(node.start, node.source.value, node.importKind === "type" ? "type" : "value", names)
    },
    ExportNamedDeclaration: (node) => {
      if (node.source === null) return
      const names = node.specifiers.map((specifier) => ({ imported: nameOf(specifier.local), local: null }))
      add(node.start, node.source.value, node.exportKind === "type" ? "type" : "value", names)
    },
    ExportAllDeclaration: (node) => {
      add(node.start, node.source.value, node.exportKind === "type" ? "type" : "value")
    },
    ImportExpression: (node) => {
      if (node.source.type === "Literal" && typeof node.source.value === "string")
        add(node.start, node.source.value, "dynamic")
    },
    TSImportType: (node) => {
      add(node.start, node.source.value, "type")
    }
  })
  return found
}

export const parse = (path: string, text: string): Source => {
  const parsed = parseSync(path, text)
  const [error] = parsed.errors
  if (error !== undefined) throw new Error(`${path} can't be parsed: ${error.message}`)
  const lineAt = lineCounter(text)
  const walk: Source["walk"] = (visitor) => new Visitor(visitor).visit(parsed.program)
  return {
    path,
    text,
    lineCount: countLines(text),
    comments: parsed.comments.map((comment) => ({
      text: comment.value.trim(),
      firstLine: lineAt(comment.start),
      lastLine: lineAt(comment.end)
    })),
    imports: importsOf(walk, lineAt),
    walk,
    lineAt
  }
}

/** Whether a comment stands on one of the lines, or ends on the line above the first. */
export const isExplained = (source: Source, firstLine: number, lastLine = firstLine): boolean =>
  source.comments.some(
    (comment) => comment.text !== "" && comment.lastLine >= firstLine - 1 && comment.firstLine <= lastLine
  )
