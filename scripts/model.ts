// Checks the model in all its scenes, and holds the figures in docs/model.md to what came out: `pnpm model`; `pnpm model --write` writes them.
import { readFileSync, writeFileSync } from "node:fs"
import { ErrorCatalogue } from "@muster/core"
import {
  assumptions,
  checkScene,
  joinVerdicts,
  type SceneChecked,
  scenes,
  tellTrace
} from "@muster/core/model"
import { Effect } from "effect"

const file = new URL("../docs/model.md", import.meta.url)
const begin = "<!-- figures: written by pnpm model --write -->"
const end = "<!-- end of figures -->"

const catalogue = await Effect.runPromise(ErrorCatalogue.compile([]))
const number = new Intl.NumberFormat("en")
const checked: Array<SceneChecked> = []
for (const scene of scenes) {
  const one = checkScene(scene, { catalogue })
  checked.push(one)
  console.log(`${scene.name}: ${number.format(one.states)} states, ${number.format(one.transitions)} steps`)
}
const verdicts = joinVerdicts(checked.flatMap((one) => one.verdicts))
const unsound = verdicts.filter(({ verdict }) => verdict !== "holds")
for (const { invariant, trace, verdict } of unsound)
  console.log([`${invariant}: ${verdict}`, ...(trace === null ? [] : tellTrace(trace))].join("\n"))

const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`
const head = (cells: ReadonlyArray<string>): ReadonlyArray<string> => [
  row(cells),
  row(cells.map(() => "---"))
]
const list = (words: ReadonlyArray<string>): string => (words.length === 0 ? "none" : words.join(", "))

const figures = [
  begin,
  "",
  ...head([
    "scene",
    "checker",
    "hosts × slots",
    "jobs",
    "retries",
    "faults",
    "for ever",
    "without",
    "states",
    "steps",
    "depth"
  ]),
  ...checked.map(({ depth, scene, states, transitions }) => {
    const { faults, free, hosts, jobs, retries, slots, without } = scene.bounds
    const size = [jobs, retries, faults, list(free), list(without)]
    return row([
      scene.name,
      scene.tier,
      `${hosts} × ${slots}`,
      ...size,
      number.format(states),
      number.format(transitions),
      depth
    ])
  }),
  "",
  ...checked.map(({ scene: { about, name } }) => `- ${name}: ${about}.`),
  "",
  ...head(["invariant", "form", "checker", "states", "verdict"]),
  ...verdicts.map(({ explored, form, invariant, tier, verdict }) =>
    row([invariant, `\`${form}\``, tier, number.format(explored.count), verdict])
  ),
  "",
  ...head(["what may happen", "acts", "duty", "because"]),
  ...assumptions.map(({ acts, because, duty, what }) => row([what, acts.join(", "), duty, because])),
  "",
  end
].join("\n")

const text = readFileSync(file, "utf8")
const after = `${text.slice(0, text.indexOf(begin))}${figures}${text.slice(text.indexOf(end) + end.length)}`
const squeezed = (markdown: string): string => markdown.replace(/ +/g, " ").replace(/-{3,}/g, "---")
if (process.argv.includes("--write")) writeFileSync(file, after)
else if (squeezed(after) !== squeezed(text)) {
  console.log("docs/model.md has other figures: pnpm model --write")
  process.exitCode = 1
}
if (unsound.length > 0) process.exitCode = 1
