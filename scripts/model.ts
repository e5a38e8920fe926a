// Checks the model in all its scenes, and holds the figures in docs/model.md to what came out: `pnpm model`; `pnpm model --write` writes them.
import { readFileSync, writeFileSync } from "node:fs"
import { driftLine, ErrorCatalogue } from "@muster/core"
import {
  assumptions,
  checkDrifts,
  checkScene,
  fleetModel,
  fleetWalks,
  joinVerdicts,
  Model,
  property,
  type SceneChecked,
  scenes,
  tellTrace,
  walkRules
} from "@muster/core/model"
import { Effect } from "effect"

const file = new URL("../docs/model.md", import.meta.url)
const begin = "<!-- figures: written by pnpm model --write -->"
const end = "<!-- end of figures -->"

const catalogue = await Effect.runPromise(ErrorCatalogue.compile([]))
const number = new Intl.NumberFormat("en")
const checked: Array<SceneChecked> = []
// Decisions make errors whose stacks nobody reads: a tenth of the search.
const { stackTraceLimit } = Error
Error.stackTraceLimit = 0
for (const scene of scenes) {
  const one = checkScene(scene, { catalogue })
  checked.push(one)
  console.log(`${scene.name}: ${number.format(one.states)} states, ${number.format(one.transitions)} steps`)
}
Error.stackTraceLimit = stackTraceLimit
const verdicts = joinVerdicts(checked.flatMap((one) => one.verdicts))
const walked = property(Model.ofTier(fleetModel, "property"), fleetWalks(walkRules(catalogue)), {
  seed: 1,
  walks: 100,
  length: 200
})
const ran = [...verdicts, ...walked]
/** Invariants of which this run says nothing, and checks of none. */
const drifts = checkDrifts(ran, ran)
for (const drift of drifts) console.log(driftLine(drift))
const unsound = ran.filter(({ verdict }) => verdict !== "holds")
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
if (unsound.length > 0 || drifts.length > 0) process.exitCode = 1
