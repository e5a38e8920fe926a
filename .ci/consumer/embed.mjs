// What a host without TypeScript does: a fleet from the packed packages, with nothing but their own dependencies.
import assert from "node:assert/strict"
import { Workflow } from "@muster/core"
import { Fleet } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Layer, Schema } from "effect"

const double = Workflow.make("double", {
  payload: Schema.Struct({ n: Schema.Int }),
  result: Schema.Struct({ twice: Schema.Int }),
  run: ({ n }) => Effect.succeed({ twice: n * 2 })
})

const program = Effect.gen(function* () {
  const fleet = yield* Fleet
  const job = yield* fleet.submit(double, { n: 21 })
  return yield* job.result
})

const store = SqliteStore.layer({ filename: "embedded.db" })
const fleet = Fleet.layer({ workflows: [double] }).pipe(Layer.provide(store))
assert.deepEqual(await Effect.runPromise(Effect.provide(program, fleet)), { twice: 42 })
console.log("embedded: ok")
