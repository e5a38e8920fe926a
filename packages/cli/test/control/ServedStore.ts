// A host at work on a real file, with its socket, in this process; commands are typed beside it, with the socket or without.
import { renameSync } from "node:fs"
import { Workflow } from "@muster/core"
import { Fleet, type FleetService } from "@muster/fleet"
import { Control } from "@muster/fleet/control"
import { SqliteStore } from "@muster/store-sqlite"
import { Context, Deferred, Effect, Layer, Schema } from "effect"
import { TestConsole } from "effect/testing"
import { storeFolder, world } from "../CommandLine.ts"

/** What the commands of a test need, on the real clock. */
export const live = Layer.mergeAll(world, TestConsole.layer)

/** Agents that work until the gate is open. */
const waiting = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const work = Workflow.make("wait", {
    payload: Schema.Struct({ n: Schema.Int }),
    result: Schema.Struct({ n: Schema.Int }),
    run: Effect.fn(function* ({ n }, agent) {
      yield* agent.log(`waiting with ${n}`)
      yield* Deferred.await(gate)
      return { n }
    })
  })
  return { work, open: Deferred.succeed(gate, undefined) }
})

/** A host over the store's file; its socket is there when it answers. */
export const host = Effect.fnUntraced(function* (file: string, slots = 2) {
  const { open, work } = yield* waiting
  const store = SqliteStore.layer({ filename: file })
  const fleet = Layer.provideMerge(Fleet.layer({ workflows: [work], slots, stop: "1 second" }), store)
  const context = yield* Layer.build(fleet)
  yield* Effect.provide(Control.serve({ store: file }), context)
  const service: FleetService = Context.get(context, Fleet)
  return { fleet: service, open, work }
})

/** A host at work on a store, and commands about it. */
export const served = Effect.gen(function* () {
  const { file, folder, type } = yield* storeFolder
  yield* type(["submit", "-w", "other", '{"n":0}'])
  const one = yield* host(file)
  /** The same, while no socket is to be found: by the store alone. */
  const without = <A, E, R>(command: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => renameSync(`${file}.hosts`, `${file}.away`)),
      () => command,
      () => Effect.sync(() => renameSync(`${file}.away`, `${file}.hosts`))
    )
  return { ...one, file, folder, type, without }
})
