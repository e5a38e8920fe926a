/**
 * Muster's model, checked: every hairy invariant in each of the scenes that its tier has, by the functions that run the fleet.
 */
import type { Catalogue } from "../../domain/ErrorCatalogue.ts"
import { type Checked, exhaustive } from "../checkers/exhaustive.ts"
import { temporal } from "../checkers/temporal.ts"
import { fleetInvariants } from "../FleetInvariants.ts"
import { isOf } from "../Invariant.ts"
import type { FleetInvariant } from "../invariants/Look.ts"
import type { Verdict } from "../Verdict.ts"
import type { Act } from "../world/Act.ts"
import type { Behaviour } from "../world/Behaviour.ts"
import { tellStep } from "../world/Telling.ts"
import { fleetObligation } from "./fleetObligation.ts"
import { type Scene, scenes } from "./FleetScenes.ts"
import { type FleetState, fleetSystem } from "./FleetSystem.ts"

export interface FleetCheckOptions {
  /** The codes that the fleet reacts by. */
  readonly catalogue: Catalogue
  /** Left out: all scenes. */
  readonly scenes?: ReadonlyArray<Scene>
  /** Left out: all hairy ones. */
  readonly invariants?: ReadonlyArray<FleetInvariant>
  /** Left out: what runs the fleet. */
  readonly behaviour?: Behaviour
  /** States of each scene, at most. */
  readonly states?: number
  /** A scene ends with the first thing that it finds broken. */
  readonly stopAtFirst?: boolean
}

export interface SceneChecked extends Checked {
  readonly scene: Scene
}

/** The limit of states where nobody sets one: some two gigabytes. */
export const statesAtMost = 1_500_000

const tell = (before: FleetState, act: Act, after: FleetState) => tellStep(before.world, act, after.world)
const look = ({ world }: FleetState) => world

/** One scene. */
export const checkScene = (scene: Scene, options: FleetCheckOptions): SceneChecked => {
  const { behaviour, catalogue, states = statesAtMost, stopAtFirst } = options
  const { bounds, tier, without, workflow } = scene
  const invariants = (options.invariants ?? fleetInvariants).filter(({ id }) => !without.includes(id))
  const system = fleetSystem({
    bounds,
    catalogue,
    workflow,
    symmetric: tier === "exhaustive",
    ...(behaviour === undefined ? {} : { behaviour })
  })
  const common = { limits: { states }, look, tell }
  const checked =
    tier === "exhaustive"
      ? exhaustive(invariants.filter(isOf("exhaustive")), system, {
          ...common,
          ...(stopAtFirst === undefined ? {} : { stopAtFirst })
        })
      : temporal(invariants.filter(isOf("temporal")), system, {
          ...common,
          obligation: ({ world }, act) => fleetObligation(world, act)
        })
  return { scene, ...checked }
}

/** What all scenes of its tier say of an invariant: broken if one says so. */
export const joinVerdicts = (all: ReadonlyArray<Verdict>): ReadonlyArray<Verdict> => {
  const found = new Map<string, Verdict>()
  for (const one of all) {
    const before = found.get(one.invariant)
    if (before === undefined) {
      found.set(one.invariant, one)
      continue
    }
    const worst =
      [before, one].find(({ verdict }) => verdict === "broken") ??
      [before, one].find(({ verdict }) => verdict === "unfinished") ??
      before
    found.set(one.invariant, {
      ...worst,
      explored: {
        unit: "states",
        count: before.explored.count + one.explored.count,
        steps: before.explored.steps + one.explored.steps
      }
    })
  }
  return [...found.values()]
}

export interface FleetChecked {
  readonly verdicts: ReadonlyArray<Verdict>
  readonly scenes: ReadonlyArray<SceneChecked>
}

/** All scenes, one after the other. */
export const checkFleet = (options: FleetCheckOptions): FleetChecked => {
  const checked = (options.scenes ?? scenes).map((scene) => checkScene(scene, options))
  return { verdicts: joinVerdicts(checked.flatMap(({ verdicts }) => verdicts)), scenes: checked }
}
