/**
 * Which tests hold which rule: read from the names of the tests.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** Where tests stand, and the suites that the tests of a port run. */
const places = [
  "packages/*/test/**/*.ts",
  "packages/core/src/testing/**/*.ts",
  "tests/**/*.test.ts",
  "chaos/**/*.ts"
]

export interface Citation {
  /** From the root of the repository. */
  readonly path: string
  readonly rule: number
}

/** A name that ends with rules, before the quote that closes it: `(R8, R19)`, also among other sources: `(law 2, R12)`. */
const named = /\(((?:[\w .]+, )*R\d+(?:, [\w .]+)*)\)["`]/g

/** The rules that the names of this text's tests cite, each once, ascending. */
export const citedIn = (text: string): ReadonlyArray<number> => {
  const found = new Set<number>()
  for (const [, list = ""] of text.matchAll(named))
    for (const [, number] of list.matchAll(/\bR(\d+)\b/g)) found.add(Number(number))
  return [...found].toSorted((a, b) => a - b)
}

/** All of them, by path. */
export const citations = (): ReadonlyArray<Citation> =>
  globSync(places, { cwd: root })
    .filter((path) => !path.endsWith("tests/rules.test.ts"))
    .toSorted()
    .flatMap((path) =>
      citedIn(readFileSync(join(root, path), "utf8")).map((rule) => ({
        path: path.replaceAll("\\", "/"),
        rule
      }))
    )
