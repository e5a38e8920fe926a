// The whole test file of a store: the suite. Below it, a fleet that leaves its work to the next one.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { storeSuite } from "@muster/core/testing"
import { Fleet } from "@muster/fleet"
import { Effect, Layer, Schema } from "effect"
import * as JsonStore from "./JsonStore.ts"

/** A file that isn't there yet, in a folder of its own. */
const filename = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "store-json-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
).pipe(Effect.map((folder) => join(folder, "fleet.json")))

storeSuite(
  "json file",
  Effect.gen(function* () {
    const open = JsonStore.makeDriver(yield* filename)
    return { driver: yield* open, reopen: open }
  })
)

const greet = Workflow.make("greet", {
  payload: Schema.Struct({ name: Schema.String }),
  result: Schema.String,
  run: ({ name }) => Effect.succeed(`hello ${name}`)
})

it.live("a fleet on a JSON file finds what another one has left there", () =>
  Effect.gen(function* () {
    const fleet = Fleet.layer({ workflows: [greet] })
    const store = JsonStore.layer({ filename: yield* filename })
    const submit = Effect.gen(function* () {
      const { duplicate, jobId, result } = yield* (yield* Fleet).submit(greet, { name: "Ada" })
      return { jobId, duplicate, result: yield* result }
    }).pipe(Effect.provide(Layer.provide(fleet, store)))
    const first = yield* submit
    const second = yield* submit
    assert.deepStrictEqual(second, { jobId: first.jobId, duplicate: true, result: "hello Ada" })
  })
)

it.live("a lock whose process was killed is nobody's", () =>
  Effect.gen(function* () {
    const path = yield* filename
    const { pid } = spawnSync(process.execPath, ["--version"])
    writeFileSync(`${path}.lock`, `${pid} gone`)
    yield* JsonStore.makeDriver(path)
  })
)
