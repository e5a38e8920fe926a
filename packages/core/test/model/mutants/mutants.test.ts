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

/** Holds the verdicts to what the mutant says of itself. */
const sees = (
  { also = [], expected }: Mutant,
  verdicts: ReadonlyArray<Verdict>,
  longest = readable
): void => {
  const broken = verdicts.filter(({ verdict }) => verdict === "broken")
  const told = broken.map(({ invariant, trace }) => [invariant, ...(trace === null ? [] : tellTrace(trace))])
  assert.deepStrictEqual(
    broken.map(({ invariant }) => invariant).toSorted(),
    [expected, ...also].toSorted(),
    told.map((lines) => lines.join("\n")).join("\n\n")
  )
  const found = broken.find(({ invariant }) => invariant === expected)
  assert.isAtMost(found?.trace?.steps.length ?? Number.POSITIVE_INFINITY, longest)
}

const named = <M extends Mutant>(mutants: ReadonlyArray<M>) =>
  mutants.map((mutant) => [`${mutant.name}, so that ${mutant.breaks}`, mutant] as const)

describe("seeded faults", () => {
  it.each(named(safetyMutants))("the search of all states sees it: %s", (_, mutant) => {
    sees(mutant, searched(mutant), mutant.longest)
  })

  it.each(named(livenessMutants))("the check of liveness sees it: %s", (_, mutant) => {
    sees(mutant, searched(mutant))
  })

  it.each(named(walkMutants))("the random walks see it: %s", (_, mutant) => {
    sees(mutant, walked(mutant))
  })
})
