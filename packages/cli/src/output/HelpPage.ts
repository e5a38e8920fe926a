/**
 * The help of a command on a page of 80 columns, whatever the terminal: it is read in pipes and in the reference as well.
 */
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import type { Style } from "./Style.ts"
import { width, wrap } from "./Text.ts"

const columns = 80

interface Entry {
  readonly name: string
  readonly text: string
}

/** A list of choices is told in the description; here one word stands for it. */
const valueName = ({ name, type }: FlagDoc): string =>
  type === "boolean" || type === "[=boolean]"
    ? ""
    : ` ${/^[A-Z]+$/.test(type) ? type : (name.split("-").at(-1) ?? name).toUpperCase()}`

/** Arguments as people write them; a command that stands after `--` says so. */
const usage = (text: string): string =>
  text.replaceAll(/<([A-Z]+(?:\.\.\.)?)>/g, "$1").replace("[COMMAND...]", "-- COMMAND...")

const flagEntry = (flag: FlagDoc): Entry => ({
  name: `${[`--${flag.name}`, ...flag.aliases].join(", ")}${valueName(flag)}`,
  text: Option.getOrElse(flag.description, () => "")
})

const entries = (title: string, list: ReadonlyArray<Entry>, style: Style): ReadonlyArray<string> => {
  if (list.length === 0) return []
  const size = list.reduce((most, { name }) => Math.max(most, width(name)), 0)
  const room = Math.max(30, columns - size - 4)
  return [
    "",
    style.title(title),
    ...list.flatMap(({ name, text }) => {
      const [first = "", ...rest] = wrap(text, room)
      const head = `  ${style.busy(name)}${" ".repeat(size - width(name))}  ${first}`.trimEnd()
      return [head, ...rest.map((line) => " ".repeat(size + 4) + line)]
    })
  ]
}

/** What each does stands beside it, as a comment that may be typed along, where there is room for all. */
const examples = (
  given: ReadonlyArray<{ readonly command: string; readonly description?: string | undefined }>
): ReadonlyArray<string> => {
  const size = Math.max(...given.map(({ command }) => command.length))
  const told = given.map(({ command, description }) =>
    description === undefined ? `  ${command}` : `  ${command.padEnd(size)}  # ${description}`
  )
  return told.every((line) => width(line) <= columns) ? told : given.map(({ command }) => `  ${command}`)
}

/** The lines of the page. */
export const helpPage = (doc: HelpDoc, style: Style): ReadonlyArray<string> => [
  ...wrap(doc.description, columns),
  "",
  style.title("usage"),
  `  ${usage(doc.usage)}`,
  ...entries(
    "arguments",
    (doc.args ?? []).map((arg) => ({
      name: arg.required ? arg.name : `[${arg.name}]`,
      text: Option.getOrElse(arg.description, () => "")
    })),
    style
  ),
  ...(doc.subcommands ?? []).flatMap(({ commands, group }) =>
    entries(
      group ?? "commands",
      commands.map(({ description, name, shortDescription }) => ({
        name,
        text: shortDescription ?? description
      })),
      style
    )
  ),
  ...entries("flags", doc.flags.map(flagEntry), style),
  ...entries("everywhere", [...(doc.inheritedFlags ?? []), ...(doc.globalFlags ?? [])].map(flagEntry), style),
  ...(doc.examples === undefined || doc.examples.length === 0
    ? []
    : ["", style.title("examples"), ...examples(doc.examples)])
]
