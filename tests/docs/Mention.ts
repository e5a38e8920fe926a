// Commands that a page mentions in its text, as in `muster dlq replay 17 --fresh`, and what the reference of the command knows.

export interface Mention {
  readonly line: number
  /** Its words after `muster`. */
  readonly words: ReadonlyArray<string>
}

export const mentionsOf = (page: string): ReadonlyArray<Mention> =>
  page
    .replaceAll(/^```[\s\S]*?^```$/gm, (block) => block.replaceAll(/[^\n]/g, ""))
    .split("\n")
    .flatMap((text, at) =>
      Array.from(text.matchAll(/`muster ([^`]+)`/g), ([, words = ""]) => ({
        line: at + 1,
        words: words.split(/\s+/)
      }))
    )

/** Each command of the reference, by its words, and the text of its help. */
export const helpOf = (reference: string): ReadonlyMap<string, string> =>
  new Map(
    reference
      .split(/^## muster */m)
      .slice(1)
      .map((section) => {
        const end = section.indexOf("\n")
        return [section.slice(0, end).trim(), section.slice(end)] as const
      })
  )

/** What is wrong with a mention; null for nothing. Whatever isn't a command's word is its argument. */
export const unknownIn = (help: ReadonlyMap<string, string>, { words }: Mention): string | null => {
  const [first = "", second = ""] = words
  const command = help.has(`${first} ${second}`) ? `${first} ${second}` : first
  const own = help.get(command)
  if (own === undefined) return first.startsWith("-") || first === "…" ? null : `there is no muster ${first}`
  const end = words.indexOf("--")
  const flags = (end < 0 ? words : words.slice(0, end)).flatMap((word) => /^--?[a-z][a-z-]*/.exec(word) ?? [])
  const known = `${own}${help.get("") ?? ""}`
  const unknown = flags.find((flag) => !new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(known))
  return unknown === undefined ? null : `muster ${command} has no ${unknown}`
}
