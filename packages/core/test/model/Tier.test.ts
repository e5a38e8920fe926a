import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { fleetLanes } from "../../src/model/FleetLanes.ts"
import { fleetModel } from "../../src/model/FleetModel.ts"
import * as Invariant from "../../src/model/Invariant.ts"
import { ofTier } from "../../src/model/Model.ts"
import { isRaceShaped, type Primitive, primitives, type RaceShaped } from "../../src/model/Primitive.ts"
import {
  type Always,
  always,
  type Form,
  forms,
  infinitelyOften,
  leadsTo,
  type Temporal
} from "../../src/model/Temporal.ts"
import { derive, type FormOf, type Tier, type TierOf } from "../../src/model/Tier.ts"
import type { World } from "../../src/model/world/World.ts"

// the keys of the table are the primitives
const allPrimitives = Object.keys(primitives) as ReadonlyArray<Primitive>
const lanes: ReadonlyArray<string> = fleetLanes.map(({ id }) => id)
const laneSets: ReadonlyArray<ReadonlyArray<string>> = [
  ...lanes.map((one) => [one]),
  ...lanes.flatMap((one, at) => lanes.slice(at + 1).map((two) => [one, two])),
  lanes
]

/** By the seed's sentence, written apart from the function. */
const expected = (count: number, race: boolean, form: Form): Tier => {
  if (count < 2 || !race) return "property"
  return form === "[]P" ? "exhaustive" : "temporal"
}

describe("the tier of an invariant", () => {
  it("follows from lanes, primitive and form, for all of each", () => {
    for (const actors of laneSets)
      for (const primitive of allPrimitives)
        for (const form of forms) {
          const { hairy, tier } = derive(actors, primitive, form)
          assert.strictEqual(tier, expected(actors.length, primitives[primitive].race, form))
          assert.strictEqual(hairy, tier !== "property")
        }
  })

  it("is the same for the compiler", () => {
    type Two = ["loop", "agent"]
    type Linear = Exclude<Primitive, RaceShaped>
    expectTypeOf<TierOf<Two, RaceShaped, "[]P">>().toEqualTypeOf<"exhaustive">()
    expectTypeOf<TierOf<Two, RaceShaped, "[]<>P">>().toEqualTypeOf<"temporal">()
    expectTypeOf<TierOf<Two, RaceShaped, "P ~> Q">>().toEqualTypeOf<"temporal">()
    expectTypeOf<TierOf<Two, Linear, Form>>().toEqualTypeOf<"property">()
    expectTypeOf<TierOf<["loop"], Primitive, Form>>().toEqualTypeOf<"property">()
    expectTypeOf<TierOf<["loop", "agent", "lander"], "lease", "[]P">>().toEqualTypeOf<"exhaustive">()
    expectTypeOf(derive(["loop", "agent"], "none", "[]P").tier).toEqualTypeOf<"property">()
    for (const primitive of allPrimitives)
      assert.strictEqual(isRaceShaped(primitive), primitives[primitive].race)
  })

  it("says of every invariant of the fleet what the function says", () => {
    for (const { hairy, lanes: actors, primitive, temporal, tier } of fleetModel.invariants)
      assert.deepStrictEqual({ hairy, tier }, derive(actors, primitive, temporal.form))
  })

  it("has invariants of the fleet in each of its three", () => {
    for (const tier of ["property", "exhaustive", "temporal"] as const)
      assert.isAbove(ofTier(fleetModel, tier).length, 5, tier)
    const formed = new Set(fleetModel.invariants.map(({ temporal }) => temporal.form))
    assert.deepStrictEqual([...formed].toSorted(), [...forms].toSorted())
  })
})

const sound = always((count: number) => (count < 0 ? "it is below nothing" : null))
const named = { id: "one", sentence: "It holds.", source: "here" } as const
const hairySafety = Invariant.make({
  ...named,
  lanes: ["loop", "agent"],
  primitive: "lease",
  temporal: sound
})
const hairyLiveness = Invariant.make({
  ...named,
  lanes: ["loop", "agent"],
  primitive: "lease",
  temporal: infinitelyOften((count: number) => count === 0)
})
const linearLiveness = Invariant.make({
  ...named,
  lanes: ["loop"],
  primitive: "lease",
  temporal: leadsTo(
    (count: number) => count > 0,
    (count) => count === 0
  )
})

describe("a pairing of form and checker", () => {
  const exhaustive = (invariant: Invariant.Invariant<number, "exhaustive">) => invariant.temporal
  const temporal = (invariant: Invariant.Invariant<number, "temporal">) => invariant.temporal
  const property = (invariant: Invariant.Invariant<number, "property">) => invariant.temporal

  it("compiles where the tier is the checker's", () => {
    expectTypeOf(exhaustive(hairySafety)).toEqualTypeOf<Temporal<number, "[]P">>()
    expectTypeOf(temporal(hairyLiveness)).toEqualTypeOf<Temporal<number, "[]<>P" | "P ~> Q">>()
    expectTypeOf(property(linearLiveness)).toEqualTypeOf<Temporal<number>>()
    expectTypeOf<FormOf<"exhaustive">>().toEqualTypeOf<"[]P">()
    assert.strictEqual(exhaustive(hairySafety).form, "[]P")
  })

  it("doesn't compile where it is another's", () => {
    // @ts-expect-error a temporal check can't decide what a search must
    assert.strictEqual(temporal(hairySafety).form, "[]P")
    // @ts-expect-error a search of states can't decide liveness
    assert.strictEqual(exhaustive(hairyLiveness).form, "[]<>P")
    // @ts-expect-error random walks are not enough for what is hairy
    assert.strictEqual(property(hairySafety).form, "[]P")
    // @ts-expect-error no search is needed for what one lane does alone
    assert.strictEqual(temporal(linearLiveness).form, "P ~> Q")
    // @ts-expect-error an invariant of any tier is none of a certain one
    assert.isDefined(fleetModel.invariants.map((one): Invariant.Invariant<World, "property"> => one))
  })

  it("can't be typed by hand", () => {
    // @ts-expect-error a tier is derived, and only make builds an invariant
    const typed: Invariant.Invariant<number, "property", "loop"> = {
      ...named,
      lanes: ["loop"],
      primitive: "none",
      temporal: sound,
      hairy: false,
      tier: "property"
    }
    assert.strictEqual(typed.tier, "property")
    const given = { ...named, lanes: ["loop"], primitive: "none", temporal: sound } as const
    // @ts-expect-error make takes no tier
    assert.strictEqual(Invariant.make({ ...given, tier: "temporal" }).tier, "property")
    // @ts-expect-error a form comes with its predicate
    const formless: Always<number> = { form: "[]P", over: "state" }
    assert.isUndefined(formless.broken)
  })
})
