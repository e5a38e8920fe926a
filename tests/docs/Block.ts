// The commands of a page: its fenced `sh` blocks, also those in comments, which prepare what a page takes for granted. A block that isn't run
// says why (```sh skip="needs a terminal"), one that doesn't end with 0 says how (```sh exits=5), and one that takes a program for granted which
// not every machine has says which (```sh needs=jq). A ```text block right after it is its output.

export interface Block {
  /** Of its first command. */
  readonly line: number
  readonly text: string
  readonly exits: number
  /** A program without which it isn't run; null for none. */
  readonly needs: string | null
  /** Why it isn't run; null: it is. */
  readonly skip: string | null
  /** Its standard output as the page shows it; null: the page doesn't. */
  readonly shown: string | null
}

const info = /^(?: exits=(?<exits>\d+))?(?: needs=(?<needs>[a-z]+))?(?: skip="(?<skip>[^"]+)")?$/

export const blocksOf = (page: string): ReadonlyArray<Block> =>
  Array.from(
    page.matchAll(/^```sh(?<info>.*)\n(?<text>[\s\S]*?)^```\n(?:\s*^```text\n(?<shown>[\s\S]*?)^```)?/gm),
    ({ groups = {}, index }) => {
      const line = page.slice(0, index).split("\n").length
      const said = info.exec(groups["info"] ?? "")?.groups
      if (said === undefined) throw new Error(`line ${line}: \`\`\`sh${groups["info"]} is not understood`)
      return {
        line: line + 1,
        text: groups["text"] ?? "",
        exits: Number(said["exits"] ?? 0),
        needs: said["needs"] ?? null,
        skip: said["skip"] ?? null,
        shown: groups["shown"] ?? null
      }
    }
  )

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The ids of a store's jobs begin with what it alone has; pages call it k3f9qx. */
const named = (text: string): string => text.replaceAll(/\b[a-z0-9]{6}-(?=\d)/g, "k3f9qx-")

/** Whether the output is what is shown; `…` stands for any text of a line, and alone on a line for any lines, none included. */
export const matches = (shown: string, out: string): boolean => {
  const pattern = named(shown)
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\n)*?" : `${line.split("…").map(escaped).join(".*")}\n`))
    .join("")
  return new RegExp(`^${pattern}$`).test(`${named(out)}\n`)
}
