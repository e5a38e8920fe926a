import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { Bounds } from "../../src/model/explore/FleetMoves.ts"
import { type FleetState, fleetSystem } from "../../src/model/explore/FleetSystem.ts"
import { compiled, workflow } from "../turn/Scene.ts"

const catalogue = await compiled()
const bounds: Bounds = {
  hosts: 2,
  slots: 2,
  jobs: 2,
  retries: 1,
  faults: 4,
  free: [],
  without: [],
  withoutOutcomes: [],
  steps: true
}
const systemOf = (symmetric: boolean) =>
  fleetSystem({
    bounds,
    catalogue,
    symmetric,
    workflow: workflow("full", { workspace: true, gates: true, lander: true })
  })

const Walk = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 997 }))),
  {
    minLength: 10,
    maxLength: 40
  }
)
const runs = { arbitrary: { runs: 60, size: 40, seed: "normal" }, timeout: 60_000 }

/** Holds of each state of a walk through what may happen, which is never cut down on the way. */
const everywhere = (
  symmetric: boolean,
  walk: ReadonlyArray<number>,
  hold: (system: ReturnType<typeof systemOf>, state: FleetState, story: ReadonlyArray<unknown>) => void
): void => {
  const system = systemOf(symmetric)
  const story: Array<unknown> = []
  let state = system.initial
  for (const dice of walk) {
    hold(system, state, story)
    const moves = Array.from(system.successors(state))
    const chosen = moves[dice % moves.length]
    if (chosen === undefined) return
    story.push(chosen[0])
    state = chosen[1]
  }
}

const normalOf = (system: ReturnType<typeof systemOf>, state: FleetState): FleetState =>
  system.normal?.(state) ?? state

describe.each([true, false])(
  "what stands for a world (jobs and hosts may change numbers: %s)",
  (symmetric) => {
    it.prop(
      "has the key of that world, and stands for itself",
      [Walk],
      ([walk]) =>
        everywhere(symmetric, walk, (system, state, story) => {
          const normal = normalOf(system, state)
          assert.strictEqual(system.key(normal), system.key(state), JSON.stringify(story))
          assert.deepStrictEqual(normalOf(system, normal), normal)
        }),
      runs
    )

    it.prop(
      "is followed by the same worlds as that one",
      [Walk],
      ([walk]) =>
        everywhere(symmetric, walk, (system, state, story) => {
          const keys = (from: FleetState) =>
            [...new Set(Array.from(system.successors(from), ([, after]) => system.key(after)))].toSorted()
          assert.deepStrictEqual(keys(normalOf(system, state)), keys(state), JSON.stringify(story))
        }),
      runs
    )
  }
)
