// A document, or a marked part of one, that is written by code: the code is the truth and the document can't rot.
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface Generator {
  /** From the root of the repository. */
  readonly path: string
  /**
   * The part of a hand-written file between `<!-- generated: NAME -->` and `<!-- end: NAME -->`; null when the whole
   * file is generated.
   */
  readonly section: string | null
  /** Ends with a newline. The same sources give the same text. */
  readonly make: () => string
}

const root = join(import.meta.dirname, "..")

export const fileOf = (generator: Generator): string => join(root, generator.path)

/** The current text of the generator's file; null when there is none. */
export const current = (generator: Generator): string | null => {
  try {
    return readFileSync(fileOf(generator), "utf8")
  } catch {
    return null
  }
}

/** The text that the file should have, given what it has now. */
export const expected = (generator: Generator, text: string | null): string => {
  if (generator.section === null) return generator.make()
  const open = `<!-- generated: ${generator.section} -->\n`
  const close = `<!-- end: ${generator.section} -->`
  const from = text?.indexOf(open) ?? -1
  const to = text?.indexOf(close, from) ?? -1
  if (text === null || from < 0 || to < 0)
    throw new Error(`${generator.path} has no section ${generator.section}: add ${open.trim()} and ${close}`)
  return `${text.slice(0, from + open.length)}\n${generator.make()}\n${text.slice(to)}`
}
