// Work that waits for a host that isn't there: status names its workflows, explain says so of a job.
import { assert, layer } from "@effect/vitest"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

const submitted = Effect.gen(function* () {
  const { file, type } = yield* storeFolder
  for (const workflow of ["review", "deploy"]) yield* type(["submit", "-w", workflow, `{"n":1}`])
  const status = Effect.gen(function* () {
    const shown = document("muster status", (yield* type(["status", "--json"])).out[0])
    return shown["unserved"]
  })
  const serving = (...hosts: ReadonlyArray<object>) =>
    Effect.forEach(hosts, (content) =>
      Effect.gen(function* () {
        const host = yield* enlist
        yield* host.bank(content)
        return host
      })
    ).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  return { file, type, status, serving }
})

layer(world)("work that no running host serves", (it) => {
  it.effect("is named by status, until a host comes that serves it (R23)", () =>
    Effect.gen(function* () {
      const { serving, status, type } = yield* submitted
      assert.deepStrictEqual(yield* status, ["deploy", "review"])
      assert.notInclude((yield* type(["status"])).out.join("\n"), "unserved")
      yield* serving({ workflows: ["review"] })
      assert.deepStrictEqual(yield* status, ["deploy"])
      assert.match((yield* type(["status"])).out.join("\n"), /unserved +deploy: no running host defines it/)
      yield* serving({ workflows: ["deploy", "other"] })
      assert.deepStrictEqual(yield* status, [])
      assert.notInclude((yield* type(["status"])).out.join("\n"), "unserved")
    })
  )

  it.effect("is work again when the host that served it gives no beat any more", () =>
    Effect.gen(function* () {
      const { serving, status } = yield* submitted
      yield* serving({ workflows: ["review", "deploy"] })
      assert.deepStrictEqual(yield* status, [])
      yield* TestClock.adjust("16 seconds")
      assert.deepStrictEqual(yield* status, ["deploy", "review"])
    })
  )

  it.effect("is not guessed: a host that hasn't said what it serves may serve anything", () =>
    Effect.gen(function* () {
      const { serving, status } = yield* submitted
      yield* serving({ slots: 4 })
      assert.deepStrictEqual(yield* status, [])
    })
  )

  it.effect("is what explain says of a job that waits", () =>
    Effect.gen(function* () {
      const { serving, type } = yield* submitted
      yield* serving({ workflows: ["review"] })
      assert.include(
        (yield* type(["explain", "2"])).out.join(" "),
        "No running host defines the workflow deploy"
      )
      assert.notInclude((yield* type(["explain", "1"])).out.join(" "), "defines the workflow")
    })
  )

  it.effect("waits as well where each host has too little disk or memory, which explain says (R13)", () =>
    Effect.gen(function* () {
      const { serving, type } = yield* submitted
      const explained = Effect.map(type(["explain", "1"]), ({ out }) => out.join(" ").replaceAll(/\s+/g, " "))
      yield* serving({ workflows: ["review"], scarce: "disk" }, { workflows: ["deploy"], scarce: null })
      assert.include(yield* explained, "disk of host 1 is below its floor")
      yield* serving({ workflows: ["review"], scarce: null })
      assert.notInclude(yield* explained, "floor")
    })
  )
})
