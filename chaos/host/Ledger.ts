/**
 * What agents, gates and landers of a stage leave behind: files of lines that are only ever appended to, each with one write. They are the
 * side effects by which the oracles tell how often something happened.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** `work` has the beginnings and ends of lives, `landed` the landings, `effects` what agents wrote outside, `broken` what must not be. */
export type LedgerName = "work" | "landed" | "effects" | "broken"

const path = (folder: string, name: LedgerName): string => join(folder, `${name}.ledger`)

export const append = (folder: string, name: LedgerName, words: ReadonlyArray<string | number>): void =>
  appendFileSync(path(folder, name), `${words.join(" ")}\n`)

/** All lines, as words; a line without its end is not written yet. */
export const lines = (folder: string, name: LedgerName): ReadonlyArray<ReadonlyArray<string>> => {
  const file = path(folder, name)
  if (!existsSync(file)) return []
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "))
}
