/**
 * `muster model check`: the model's invariants, each by the checker that its tier names.
 */
import { exit } from "@muster/core"
import {
  checkScene,
  fleetInvariants,
  fleetWalks,
  Invariant,
  joinVerdicts,
  property,
  type SceneChecked,
  type Verdict,
  walkRules
} from "@muster/core/model"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { configuredCatalogue } from "../config/ConfiguredCatalogue.ts"
import { Ended } from "../Ended.ts"
import { type ModelCheckJson, verdictJson } from "../json/ModelCheckJson.ts"
import { answer, type Page, talk } from "../output/Answer.ts"
import { type Column, table } from "../output/Table.ts"
import { UsageError } from "../UsageError.ts"
import { scenesOf } from "./ModelScenes.ts"

interface Input {
  readonly bounds: string
  readonly invariant: Option.Option<string>
  readonly states: number
}

const grouped = new Intl.NumberFormat("en")

const columns: ReadonlyArray<Column<ModelCheckJson["verdicts"][number]>> = [
  { title: "invariant", value: ({ invariant }) => invariant },
  { title: "form", value: ({ form }) => form },
  { title: "tier", value: ({ tier }) => tier },
  { title: "explored", value: ({ explored, unit }) => `${grouped.format(explored)} ${unit}`, align: "right" },
  {
    title: "verdict",
    value: ({ verdict }) => verdict,
    paint: (style, { verdict }, text) =>
      verdict === "holds" ? style.good(text) : verdict === "broken" ? style.bad(text) : style.waiting(text)
  }
]

const sceneJson = ({ depth, scene, states, transitions }: SceneChecked): ModelCheckJson["scenes"][number] => {
  const { about, bounds, name, tier } = scene
  const { faults, free, hosts, jobs, retries, slots, without } = bounds
  return {
    name,
    about,
    tier,
    hosts,
    slots,
    jobs,
    retries,
    faults,
    free,
    without,
    states,
    steps: transitions,
    depth
  }
}

const lines = ({ scenes: seen, verdicts }: ModelCheckJson, page: Page): ReadonlyArray<string> => [
  ...verdicts.flatMap(({ trace }) => (trace.length === 0 ? [] : [...trace, ""])),
  ...table(columns, verdicts, page),
  "",
  ...seen.map(
    ({ depth, name, states, steps }) =>
      `${page.style.title(name)}: ${grouped.format(states)} states, ${grouped.format(steps)} steps, depth ${depth}`
  )
]

/** Decisions make errors whose stacks nobody reads: a tenth of the search. */
const withoutStacks = <A>(search: () => A): A => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return search()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

export const modelCheck = Effect.fnUntraced(function* ({ bounds, invariant, states }: Input) {
  const wanted = Option.getOrNull(invariant)
  const invariants = fleetInvariants.filter(({ id }) => wanted === null || id === wanted)
  if (invariants.length === 0)
    return yield* new UsageError({
      message: `there is no invariant "${wanted}"`,
      hint: "muster model show names them all"
    })
  const scenes = yield* scenesOf(bounds)
  const catalogue = yield* configuredCatalogue
  const tiers = new Set<string>(invariants.map(({ tier }) => tier))
  const seen: Array<SceneChecked> = []
  for (const scene of scenes)
    if (tiers.has(scene.tier)) {
      yield* talk(`searching "${scene.name}" (${scene.tier}) …`)
      seen.push(withoutStacks(() => checkScene(scene, { catalogue, invariants, states })))
      yield* Effect.yieldNow
    }
  if (invariants.some(Invariant.isOf("property"))) yield* talk("walking at random …")
  const walked = property(invariants.filter(Invariant.isOf("property")), fleetWalks(walkRules(catalogue)), {
    seed: 1,
    walks: 100,
    length: 200
  })
  const verdicts: ReadonlyArray<Verdict> = [...joinVerdicts(seen.flatMap((one) => one.verdicts)), ...walked]
  const document: ModelCheckJson = { scenes: seen.map(sceneJson), verdicts: verdicts.map(verdictJson) }
  yield* answer(document, (page) => lines(document, page))
  if (verdicts.some(({ verdict }) => verdict === "broken"))
    return yield* new Ended({ exitCode: exit.findings })
  if (verdicts.some(({ verdict }) => verdict === "unfinished"))
    return yield* new Ended({ exitCode: exit.retryLater })
  return undefined
})
