// A fleet in this program: two typed workflows over one SQLite file. A review hits a busy model and is tried again; a text that can't be
// summed up ends in the dead-letter queue. Run it: node --conditions=@muster/source examples/01-embed.ts
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Workflow } from "@muster/core"
import { Fleet } from "@muster/fleet"
import { SqliteStore } from "@muster/store-sqlite"
import { Console, Data, Effect, Layer, Schema, Stream } from "effect"

// An error's tag is its code, and the code decides: EXT_… is retried, DQ_… is not. A declared one comes back to the caller as it was.
class ModelBusy extends Data.TaggedError("EXT_MODEL_BUSY")<{ readonly message: string }> {}
class NotProse extends Schema.TaggedError<NotProse>()("DQ_NOT_PROSE", { words: Schema.Int }) {}

const review = Workflow.make("review", {
  payload: Schema.Struct({ path: Schema.String }),
  result: Schema.Struct({ findings: Schema.Array(Schema.String) }),
  run: Effect.fn(function* ({ path }, agent) {
    yield* agent.progress(`reading ${path}`)
    if (agent.assignment.attempt < 3) return yield* new ModelBusy({ message: `no capacity for ${path}` })
    return { findings: [`${path} has no example`] }
  })
})

const summary = Workflow.make("summary", {
  payload: Schema.Struct({ text: Schema.NonEmptyString }),
  result: Schema.String,
  errors: NotProse,
  run: Effect.fn(function* ({ text }) {
    const words = text.split(" ")
    if (words.length < 3) return yield* new NotProse({ words: words.length })
    return `${words.slice(0, 3).join(" ")} …`
  })
})

const program = Effect.gen(function* () {
  const fleet = yield* Fleet
  const good = yield* fleet.submit(summary, { text: "a fleet keeps its word" })
  yield* Console.log("summary:", yield* good.result)
  const bad = yield* fleet.submit(summary, { text: "12 34" })
  const words = yield* bad.result.pipe(
    Effect.catchTag("DQ_NOT_PROSE", (error) => Effect.succeed(error.words))
  )
  yield* Console.log("no prose:", words)

  const job = yield* fleet.submit(review, { path: "README.md" })
  yield* Console.log("review:", (yield* job.result).findings.join("; "))
  const again = yield* fleet.submit(review, { path: "README.md" })
  yield* Console.log("again:", again.duplicate, (yield* again.result).findings.length)
  yield* fleet.events({ after: 0, jobId: job.jobId }).pipe(
    Stream.takeUntil(({ toState }) => toState === "tombstoned"),
    Stream.runForEach((event) => Console.log(" ", event.subjectKind, event.event, "->", event.toState))
  )
})

// Waits of 20 ms in place of a second, so that nobody waits for an example.
const codes = [{ code: "EXT_MODEL_BUSY", backoffBaseSeconds: 0.02 }]
const filename = join(mkdtempSync(join(tmpdir(), "muster-")), "fleet.db")
const fleet = Fleet.layer({ slots: 2, workflows: [review, summary], codes })
await Effect.runPromise(Effect.provide(program, Layer.provide(fleet, SqliteStore.layer({ filename }))))
