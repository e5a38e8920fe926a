import { assert, describe, it } from "@effect/vitest"
import { checkScene } from "../../../src/model/explore/FleetCheck.ts"
import { scenes } from "../../../src/model/explore/FleetScenes.ts"
import { fleetInvariants } from "../../../src/model/FleetInvariants.ts"
import { tellTrace } from "../../../src/model/Verdict.ts"
import { real } from "../../../src/model/world/Behaviour.ts"
import { compiled } from "../../turn/Scene.ts"
import { mutants } from "./Mutants.ts"

const catalogue = await compiled()

/** A trace that is longer than this is not followed in a minute. */
const readable = 30

describe("the model check", () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))("sees it: %s", (_, mutant) => {
    const scene = scenes.find(({ name }) => name === mutant.scene)
    const invariant = fleetInvariants.find(({ id }) => id === mutant.expected)
    assert.isDefined(scene)
    assert.isDefined(invariant)
    assert.strictEqual(invariant.tier, scene.tier)
    const { verdicts } = checkScene(
      { ...scene, bounds: { ...scene.bounds, ...mutant.bounds } },
      {
        catalogue,
        invariants: [invariant],
        behaviour: { ...real, ...mutant.behaviour },
        stopAtFirst: true
      }
    )
    const broken = verdicts.filter(({ verdict }) => verdict === "broken")
    const found = broken.find((verdict) => verdict.invariant === mutant.expected)
    const [first] = broken
    assert.isDefined(
      found?.trace,
      first?.trace == null ? "nothing is broken" : `${first.invariant}: ${tellTrace(first.trace).join("\n")}`
    )
    assert.isAtMost(found?.trace?.steps.length ?? 0, readable)
  })
})
