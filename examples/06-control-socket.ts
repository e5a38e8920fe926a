// A host that serves its control socket, and a program that finds it by the store's file: it has the host do things, and watches it live.
// Run it: node --conditions=@muster/source examples/06-control-socket.ts
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Workflow } from "@muster/core"
import { Fleet } from "@muster/fleet"
import { Control, ControlClient } from "@muster/fleet/control"
import { SqliteStore } from "@muster/store-sqlite"
import { Console, Effect, Fiber, Layer, Schema, Stream } from "effect"

const folder = mkdtempSync(join(tmpdir(), "muster-"))
const filename = join(folder, "fleet.db")

const count = Workflow.make("count", {
  payload: Schema.Struct({ to: Schema.Int }),
  result: Schema.Int,
  run: Effect.fn(function* ({ to }, agent) {
    for (let n = 1; n <= to; n++) yield* agent.log(`counted to ${n}`)
    yield* Effect.sleep("1 second")
    return to
  })
})

// The host: its fleet over a file, and the socket beside that file.
const host = Control.layer({ store: filename }).pipe(
  Layer.provideMerge(Fleet.layer({ workflows: [count], slots: 2 })),
  Layer.provide(SqliteStore.layer({ filename }))
)

// Another program, which knows nothing but the file.
const operator = Effect.gen(function* () {
  const [found] = yield* ControlClient.hostsOf(filename, 5_000)
  if (found === undefined) return yield* Console.log("no host answers")
  const { client } = found
  const actor = "operator:ana"
  const paused = yield* client.Pause({ actor, reason: "lunch" })
  yield* Console.log(`host ${found.host} is told to ${paused.row.kind} by ${paused.row.actor}`)
  const [job] = yield* client.Submit({ submissions: [{ workflowType: "count", payload: { to: 3 } }], actor })
  const jobId = job?.jobId ?? ""

  // Live: the events of the job, and, once its agent works, what that says.
  const events = yield* Effect.forkChild(
    client.Events({ after: 0, jobId }).pipe(
      Stream.tap(({ event }) => (event === "prepare" ? listen : Effect.void)),
      Stream.takeUntil(({ event }) => event === "complete"),
      Stream.map(({ event }) => event),
      Stream.runCollect
    )
  )
  const listen = Stream.runForEach(client.Lines({ jobId }), ({ text }) => Console.log(`agent: ${text}`))
  yield* client.Resume({ actor })
  yield* Console.log((yield* Fiber.join(events)).join(" "))
}).pipe(Effect.scoped)

await Effect.runPromise(Effect.provide(operator, host))
rmSync(folder, { recursive: true })
