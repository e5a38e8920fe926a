// What an architecture rule is: a name, the reason that it prints when it fails, and a check that finds violations.
import type { Source } from "./Source.ts"
import type { Tree } from "./Tree.ts"

export interface Rule {
  readonly name: string
  readonly because: string
  /** Each violation as one line: where, and what is wrong there. */
  readonly check: (tree: Tree) => ReadonlyArray<string>
}

export const at = (source: Source, line: number, what: string): string => `${source.path}:${line} ${what}`

/** What a failing rule prints. */
export const report = (rule: Rule, violations: ReadonlyArray<string>): string =>
  [`${rule.name}, because ${rule.because}:`, ...violations.map((violation) => `  ${violation}`)].join("\n")
