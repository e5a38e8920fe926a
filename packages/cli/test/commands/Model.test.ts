import { assert, layer } from "@effect/vitest"
import { fleetModel, ModelDocument } from "@muster/core/model"
import { Effect, Schema } from "effect"
import { ModelCheckJson } from "../../src/json/ModelCheckJson.ts"
import { document, type, world } from "../CommandLine.ts"

layer(world)("model show", (it) => {
  it.effect("tells the model as it is declared, to machines whole", () =>
    Effect.gen(function* () {
      const told = document("muster model show", (yield* type(["model", "show", "--json"])).out[0])
      assert.deepStrictEqual<unknown>(told, ModelDocument.document(fleetModel))
    })
  )

  it.effect("tells people each lane, seam, facet and invariant, within 80 columns", () =>
    Effect.gen(function* () {
      const { out } = yield* type(["model", "show"])
      const text = out.join("\n")
      for (const { id } of [...fleetModel.lanes, ...fleetModel.seams, ...fleetModel.invariants])
        assert.include(text, id)
      for (const { key } of fleetModel.facets) assert.include(text, key)
      for (const line of out) assert.isAtMost(line.length, 80, line)
    })
  )

  it.effect("draws lanes and seams, and then each machine", () =>
    Effect.gen(function* () {
      const diagrams = (yield* type(["model", "show", "--mermaid"])).out.join("\n")
      assert.match(diagrams, /^flowchart LR/)
      assert.lengthOf(diagrams.match(/^stateDiagram-v2$/gm) ?? [], 3)
    })
  )
})

const readCheck = Schema.decodeUnknownSync(Schema.fromJsonString(ModelCheckJson))

layer(world)("model check", (it) => {
  const check = Effect.fnUntraced(function* (...rest: ReadonlyArray<string>) {
    const { exitCode, out } = yield* type(["model", "check", "--json", ...rest])
    document("muster model check", out[0])
    return { exitCode, told: readCheck(out[0]) }
  })

  for (const [tier, invariant] of [
    ["exhaustive", "one-live-marker"],
    ["temporal", "processing-ends"]
  ] as const)
    it.effect(`makes a scene of one's own numbers for each tier: ${tier}`, () =>
      Effect.gen(function* () {
        const numbers = "hosts=1, slots=1, jobs=1, faults=0, retries=0"
        const { exitCode, told } = yield* check("--bounds", numbers, "--invariant", invariant)
        assert.strictEqual(exitCode, 0)
        assert.lengthOf(told.scenes, 1)
        assert.deepInclude(told.scenes[0], { tier, hosts: 1, slots: 1, jobs: 1, retries: 0, faults: 0 })
        assert.isAbove(told.scenes[0]?.states ?? 0, 10)
      })
    )

  it.effect("says to people what it searches while it does", () =>
    Effect.gen(function* () {
      const few = ["--bounds", "faults=0", "--states", "10", "--invariant", "one-live-marker"]
      const { err } = yield* type(["model", "check", ...few])
      assert.match(err, /^searching "faults=0, for safety" \(exhaustive\) …$/)
    })
  )

  it.effect("says that it is unfinished where the limit of states ends it", () =>
    Effect.gen(function* () {
      const few = ["--bounds", "faults=0", "--states", "10", "--invariant", "one-live-marker"]
      const { exitCode, told } = yield* check(...few)
      assert.strictEqual(exitCode, 75)
      assert.deepStrictEqual(
        told.verdicts.map(({ verdict }) => verdict),
        ["unfinished"]
      )
    })
  )

  it.effect("names what it doesn't understand of the bounds", () =>
    Effect.gen(function* () {
      for (const [bounds, said] of [
        ["large", 'doesn\'t know "large"'],
        ["jobs=2,cats=1", 'doesn\'t know "cats=1"'],
        ["jobs=2,jobs=3", "names jobs twice"],
        ["jobs=many", 'takes 1 to 4 jobs, not "many"'],
        ["faults=9", 'takes 0 to 3 faults, not "9"']
      ] as const) {
        const { err, exitCode } = yield* type(["model", "check", "--bounds", bounds])
        assert.strictEqual(exitCode, 2, bounds)
        assert.include(err, said)
      }
    })
  )
})
