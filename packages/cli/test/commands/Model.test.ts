import { assert, layer } from "@effect/vitest"
import { fleetModel, ModelDocument } from "@muster/core/model"
import { Effect } from "effect"
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
