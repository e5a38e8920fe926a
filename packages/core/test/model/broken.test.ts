// Each invariant of the fleet, and a world that breaks it: an invariant that nothing can break says nothing.
import { assert, describe, it } from "@effect/vitest"
import { fleetModel } from "../../src/model/FleetModel.ts"
import type { Temporal } from "../../src/model/Temporal.ts"
import { alarmNames } from "../../src/model/world/Alarm.ts"
import { findings } from "../../src/model/world/Invariants.ts"
import type { World } from "../../src/model/world/World.ts"
import { standing } from "./BrokenLiveness.ts"
import { states } from "./BrokenStates.ts"
import { steps } from "./BrokenSteps.ts"
import { idle } from "./WorldScene.ts"

const temporalOf = (id: string): Temporal<World> => {
  const found = fleetModel.invariants.find((invariant) => invariant.id === id)
  assert.isDefined(found, `there is no invariant ${id}`)
  return found.temporal
}

/** Whether liveness owes anything in the world. */
const owes = (temporal: Temporal<World>, world: World): boolean => {
  if (temporal.form === "[]P") return assert.fail("safety owes nothing")
  return temporal
    .subjects(world)
    .some((subject) =>
      temporal.form === "[]<>P"
        ? !temporal.holds(world, subject)
        : temporal.when(world, subject) && !temporal.holds(world, subject)
    )
}

describe("each invariant", () => {
  it("has a world, a step or a standstill that breaks it", () => {
    const broken = [...states, ...steps, ...standing].map(({ id }) => id)
    assert.deepStrictEqual(
      [...new Set(broken)].toSorted(),
      fleetModel.invariants.map(({ id }) => id).toSorted()
    )
  })

  for (const { id, says, sound, world } of states)
    it(`${id} is broken where ${says.source}`, () => {
      const temporal = temporalOf(id)
      assert.isTrue(temporal.form === "[]P" && temporal.over === "state")
      if (temporal.form !== "[]P" || temporal.over !== "state") return
      assert.match(temporal.broken(world) ?? "", says)
      assert.isNull(temporal.broken(sound))
      assert.include(findings(world, null).join("\n"), `${id}: `)
    })

  for (const { after, before, id, says, sound } of steps)
    it(`${id} is broken by a step where ${says.source}`, () => {
      const temporal = temporalOf(id)
      assert.isTrue(temporal.form === "[]P" && temporal.over === "step")
      if (temporal.form !== "[]P" || temporal.over !== "step") return
      assert.match(temporal.broken(before, after) ?? "", says)
      assert.isNull(temporal.broken(before, sound))
      assert.include(findings(after, before).join("\n"), `${id}: `)
    })

  for (const { end, id, world } of standing)
    it(`${id} is broken by a world that stands still, and owes nothing once it has gone on`, () => {
      assert.isTrue(owes(temporalOf(id), world))
      assert.isFalse(owes(temporalOf(id), end))
    })

  it("that watches for an alarm watches for one that can ring, and each alarm is watched for", () => {
    for (const name of alarmNames) {
      const world = { ...idle, alarms: [{ name, text: "something has happened" }] }
      assert.lengthOf(findings(world, null), 1, name)
    }
  })
})
