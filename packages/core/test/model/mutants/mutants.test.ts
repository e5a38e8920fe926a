// Each seeded fault turns red the invariant that it breaks, and no other that isn't named beside it.
import { assert, describe, it } from "@effect/vitest"
import { property } from "../../../src/model/checkers/property.ts"
import { checkScene } from "../../../src/model/explore/FleetCheck.ts"
import { scenes } from "../../../src/model/explore/FleetScenes.ts"
import { fleetInvariants } from "../../../src/model/FleetInvariants.ts"
import { isOf } from "../../../src/model/Invariant.ts"
import { tellTrace, type Verdict } from "../../../src/model/Verdict.ts"
import { fleetWalks } from "../../../src/model/walks/FleetWalks.ts"
import { real } from "../../../src/model/world/Behaviour.ts"
import { compiled } from "../../turn/Scene.ts"
import { rules } from "../WorldScene.ts"
import { livenessMutants } from "./LivenessMutants.ts"
import type { Mutant, SearchedMutant } from "./Mutant.ts"
import { safetyMutants } from "./SafetyMutants.ts"
import { walkMutants } from "./WalkMutants.ts"

const catalogue = await compiled()

/** A trace that is longer than this is not followed in a minute. */
const readable = 15

/** What the checker says, with all invariants of its tier. */
const searched = ({ behaviour, bounds, scene: name, workflow }: SearchedMutant): ReadonlyArray<Verdict> => {
  const scene = scenes.find((candidate) => candidate.name === name)
  assert.isDefined(scene)
  const small = {
    ...scene,
    bounds: { ...scene.bounds, ...bounds },
    workflow: { ...scene.workflow, ...workflow }
  }
  return checkScene(small, { catalogue, behaviour: { ...real, ...behaviour } }).verdicts
}

const walked = ({ behaviour }: Mutant): ReadonlyArray<Verdict> =>
  property(
    fleetInvariants.filter(isOf("property")),
    fleetWalks({ ...rules, behaviour: { ...real, ...behaviour } }),
    { seed: 3, walks: 10, length: 160 }
  )

/** What the verdicts have otherwise than the mutant says of itself; empty where all is as it says. */
const otherwise = (
  { also = [], expected }: Mutant,
  verdicts: ReadonlyArray<Verdict>,
  longest = readable
): ReadonlyArray<string> => {
  const broken = verdicts.filter(({ verdict }) => verdict === "broken")
  const missing = [expected, ...also].filter((id) => !broken.some(({ invariant }) => invariant === id))
  const strange = broken.filter(({ invariant }) => invariant !== expected && !also.includes(invariant))
  const length = broken.find(({ invariant }) => invariant === expected)?.trace?.steps.length ?? 0
  return [
    ...missing.map((id) => `${id} holds`),
    ...strange.map(({ invariant, trace }) =>
      [invariant, ...(trace === null ? [] : tellTrace(trace))].join("\n")
    ),
    ...(length > longest ? [`its trace takes ${length} steps`] : [])
  ]
}

const named = <M extends Mutant>(mutants: ReadonlyArray<M>) =>
  mutants.map((mutant) => [`${mutant.name}, so that ${mutant.breaks}`, mutant] as const)

describe("seeded faults", () => {
  it.each(named(safetyMutants))("the search of all states sees it: %s", (_, mutant) => {
    assert.deepStrictEqual(otherwise(mutant, searched(mutant), mutant.longest), [])
  })

  it.each(named(livenessMutants))("the check of liveness sees it: %s", (_, mutant) => {
    assert.deepStrictEqual(otherwise(mutant, searched(mutant), mutant.longest), [])
  })

  it.each(named(walkMutants))("the random walks see it: %s", (_, mutant) => {
    assert.deepStrictEqual(otherwise(mutant, walked(mutant)), [])
  })
})
