// A gate: a result may only cite files that are there. What is missing is told to the next attempt.
import { access } from "node:fs/promises"
import { resolve } from "node:path"
import { type Gate, PluginFailed } from "@muster/core"
import { Effect, Schema } from "effect"

const Cited = Schema.fromJsonString(Schema.Struct({ sources: Schema.Array(Schema.String) }))

const isThere = (path: string) => Effect.isSuccess(Effect.tryPromise(() => access(path)))

export const sourcesGate = (folder: string): Gate => ({
  name: "sources",
  check: Effect.fnUntraced(function* (_assignment, result) {
    // a folder that is away is no verdict: the gate fails, and is asked again
    if (!(yield* isThere(folder)))
      return yield* new PluginFailed({ plugin: "desk", operation: "Gate.check", detail: `${folder} is away` })
    const { sources } = yield* Schema.decodeEffect(Cited)(result)
    const missing = yield* Effect.filter(sources, (source) =>
      Effect.map(isThere(resolve(folder, source)), (there) => !there)
    )
    return missing.length === 0
      ? { _tag: "Pass" }
      : { _tag: "Reject", reasons: [`these sources don't exist: ${missing.join(", ")}`.slice(0, 500)] }
  })
})
