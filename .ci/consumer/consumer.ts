// A TypeScript host: the packed declarations resolve, and a job's result is of its workflow's type.
import { type JobFailed, Workflow } from "@muster/core"
import { storeSuite } from "@muster/core/testing"
import { Fleet, MemoryStore } from "@muster/fleet"
import { openFleet, type PromiseFleet } from "@muster/fleet/promise"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, Layer, Schema } from "effect"

class Refused extends Schema.TaggedError<Refused>()("DQ_REFUSED", { why: Schema.String }) {}

const count = Workflow.make("count", {
  payload: Schema.Struct({ path: Schema.String }),
  result: Schema.Struct({ words: Schema.Int }),
  errors: Refused,
  run: ({ path }) =>
    path === "" ? Effect.fail(new Refused({ why: "no path" })) : Effect.succeed({ words: path.length })
})

export const words: Effect.Effect<number, unknown, Fleet> = Effect.gen(function* () {
  const job = yield* (yield* Fleet).submit(count, { path: "README.md" })
  const result = yield* Effect.mapError(
    job.result,
    (error): Refused | JobFailed | { readonly _tag: string } => error
  )
  return result.words
})

export const layer = Fleet.layer({ workflows: [count] }).pipe(
  Layer.provide(SqliteStore.layer({ filename: "fleet.db" }))
)

export const opened = async (): Promise<number> => {
  const fleet: PromiseFleet = await openFleet({ workflows: [count], store: MemoryStore.layer() })
  const { words: found } = await (await fleet.submit(count, { path: "README.md" })).result()
  await fleet.close()
  return found
}

export const suite = () =>
  storeSuite(
    "memory",
    Effect.sync(() => ({ driver: MemoryStore.makeDriver() }))
  )
