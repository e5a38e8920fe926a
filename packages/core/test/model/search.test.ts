import { assert, describe, it } from "@effect/vitest"
import { checkScene } from "../../src/model/explore/FleetCheck.ts"
import { scenes } from "../../src/model/explore/FleetScenes.ts"
import { search } from "../../src/model/explore/Search.ts"
import type { System } from "../../src/model/explore/System.ts"
import { Visited } from "../../src/model/explore/Visited.ts"
import { compiled } from "../turn/Scene.ts"

const catalogue = await compiled()

/** Two counters of which each may be raised to the limit; which is which doesn't matter. */
const counters = (limit: number): System<readonly [number, number], string> => ({
  initial: [0, 0],
  *successors([one, other]) {
    if (one < limit) yield ["raise the first", [one + 1, other]]
    if (other < limit) yield ["raise the second", [one, other + 1]]
  },
  key: (pair) => pair.toSorted((a, b) => a - b).join(),
  normal: ([one, other]) => (one < other ? [one, other] : [other, one])
})

describe("the search of all states", () => {
  it("meets each state once, counts steps and depth, and takes states of one key for one", () => {
    const { complete, depth, states, transitions } = search(counters(3), { limits: { states: 100 } })
    assert.deepStrictEqual(
      { complete, depth, states, transitions },
      { complete: true, depth: 6, states: 10, transitions: 15 }
    )
  })

  it("finds the shortest way to what is broken, and tells it in one set of names", () => {
    const broken = (_: unknown, [one, other]: readonly [number, number]) =>
      one + other === 3 && one !== other + 3 && other !== one + 3 ? "one and two" : null
    const { breaks } = search(counters(3), { limits: { states: 100 }, safety: [{ id: "sum", broken }] })
    assert.strictEqual(breaks[0]?.path.labels.length, 3)
    const { labels = [], states = [] } = breaks[0]?.path ?? {}
    for (const [index, label] of labels.entries())
      assert.strictEqual(
        (states[index + 1]?.[0] ?? 0) - (states[index]?.[0] ?? 0),
        label === "raise the first" ? 1 : 0
      )
  })

  it("says that it is not complete where the limit of states ends it", () => {
    assert.isFalse(search(counters(30), { limits: { states: 20 } }).complete)
  })

  it("knows a state again among many", () => {
    const visited = new Visited(16)
    for (let at = 0; at < 50_000; at++) assert.strictEqual(visited.add(`state ${at}`), at)
    for (let at = 0; at < 50_000; at++) assert.strictEqual(visited.find(`state ${at}`), at)
    assert.strictEqual(visited.find("another"), -1)
  })
})

describe("the model of the fleet", () => {
  it.each(scenes.filter(({ quick }) => quick).map((scene) => [scene.name, scene] as const))(
    "holds in its small scenes: %s",
    (_, scene) => {
      const { verdicts } = checkScene(scene, { catalogue })
      assert.isAbove(verdicts.length, 5)
      for (const { invariant, verdict } of verdicts) assert.strictEqual(verdict, "holds", invariant)
    },
    60_000
  )
})
