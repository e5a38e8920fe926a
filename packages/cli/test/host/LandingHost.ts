// A host as a program: process agents, a lander that writes a line, and a short lease. It says on standard output what becomes of it.
// Arguments: the store's file, and the folder in which its agents and its lander write.
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { type Lander, Workflow } from "@muster/core"
import { Fleet, ProcessRunner } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Cause, Effect, Exit, Layer, Logger, Schema } from "effect"

const [file = "", folder = ""] = process.argv.slice(2)

const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const lander: Lander = {
  name: "lines",
  land: ({ assignment }) =>
    Effect.sync(() => {
      appendFileSync(join(folder, "landed"), `${assignment.jobId} ${assignment.token}\n`)
      return { _tag: "Landed", reference: null }
    }),
  check: () => Effect.succeed("unknown")
}

const host = Effect.gen(function* () {
  // Life 1 waits until it is let go; later ones end at once.
  const wait = 'while [ "$MUSTER_INCARNATION" = 1 ] && [ ! -e "go-$n" ]; do sleep 0.05; done'
  const agent = `read n; echo $$ >> pids; ${wait}; echo done`
  const runner = yield* ProcessRunner.make({ command: ["sh", "-c", agent], cwd: folder })
  const work = Workflow.make("wait", { payload: Schema.Int, result: Schema.Unknown, runner, lander })
  const lease = { lease: "2 seconds", renewal: "200 millis" } as const
  const fleet = Fleet.layer({ workflows: [work], slots: 4, lease })
  return yield* Effect.gen(function* () {
    const running = yield* Fleet
    say(`host ${(yield* running.snapshot).host}`)
    return yield* running.ended
  }).pipe(Effect.provide(fleet))
})

const layer = Layer.merge(SqliteStore.layer({ filename: file }), Logger.layer([]))
const ended = await Effect.runPromiseExit(Effect.provide(host, layer))
if (Exit.isFailure(ended)) {
  const error = Cause.squash(ended.cause)
  say(`ended ${typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : "?"}`)
}
