// `muster model drift` as typed: on a store that is as declared, and on one that somebody has changed.
import { DatabaseSync } from "node:sqlite"
import { assert, layer } from "@effect/vitest"
import { exit } from "@muster/core"
import { SqliteStore } from "@muster/store-sqlite"
import { Effect, FileSystem } from "effect"
import { document, storeFolder, world } from "../CommandLine.ts"
import { enlist } from "../HandMadeHost.ts"

/** A store of two jobs: one is done, one is dead of a code. */
const scene = Effect.fnUntraced(function* (code: string) {
  const { file, type } = yield* storeFolder
  for (const n of [1, 2]) yield* type(["submit", "-w", "count", `{"n":${n}}`])
  yield* Effect.gen(function* () {
    const host = yield* enlist
    for (const seq of [1, 2]) yield* host.take(seq)
    yield* host.land(1, 1)
    yield* host.fail(2, code, "never")
    yield* host.stop
  }).pipe(Effect.provide(SqliteStore.layer({ filename: file })))
  const drift = (...args: ReadonlyArray<string>) => type(["model", "drift", ...args])
  const json = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const said = yield* drift(...args, "--json")
    return { ...said, document: document("muster model drift", said.out[0]) }
  })
  return { file, drift, json }
})

/** Without the CHECKs, a move that is in no table. */
const plant = (file: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(file)
    db.exec("PRAGMA ignore_check_constraints = ON")
    db.exec(
      "INSERT INTO move (subject_kind, event, from_state, to_state, reason) VALUES ('job', 'reopen', 'COMPLETED', 'PROCESSING', 'landed')"
    )
    db.close()
  })

const reopened = (file: string) => [
  `MODEL-DRIFT: transition 'COMPLETED --reopen--> PROCESSING' was written to table move, in ${file} and is not declared in machine job (packages/core/src/domain/JobMachine.ts)`,
  `MODEL-DRIFT: reason 'COMPLETED --reopen--> PROCESSING for landed' was written to table move, in ${file} and is not declared in machine job (packages/core/src/domain/JobMachine.ts)`
]

layer(world)("muster model drift", (it) => {
  it.effect("says in a sentence that nothing has drifted, whatever the mode", () =>
    Effect.gen(function* () {
      const { drift, file, json } = yield* scene("DQ_BAD")
      for (const mode of ["audit", "block"]) {
        const { err, exitCode, out } = yield* drift("--mode", mode)
        assert.deepStrictEqual([exitCode, err, out.length], [0, "", 1])
        assert.match(out[0] ?? "", /^No drift: \d+ words and 1 code of /)
        assert.include(out[0] ?? "", file)
      }
      const said = yield* json()
      assert.deepInclude(said.document, { mode: "audit", store: file, drifts: [] })
    })
  )

  it.effect("tells each line on standard output; to block is to fail by the catalogue", () =>
    Effect.gen(function* () {
      const { drift, file, json } = yield* scene("DQ_BAD")
      yield* plant(file)
      const told = yield* drift()
      assert.deepStrictEqual([told.exitCode, told.err, told.out], [0, "", reopened(file)])
      const blocked = yield* drift("--mode", "block")
      assert.deepStrictEqual([blocked.exitCode, blocked.out], [exit.findings, reopened(file)])
      assert.include(blocked.err, "ORCH_MODEL_DRIFT")
      const said = yield* json("--mode", "block")
      assert.strictEqual(said.exitCode, exit.findings)
      assert.deepInclude(document("Failures", said.err), { code: "ORCH_MODEL_DRIFT", exit_code: 7 })
      // the schema has just held it
      const drifts = said.document["drifts"] as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        drifts.map(({ line }) => line),
        reopened(file)
      )
      assert.deepInclude(drifts[0], {
        dimension: "events",
        kind: "undeclared",
        name: "COMPLETED --reopen--> PROCESSING",
        live: `table move, in ${file}`
      })
    })
  )

  it.effect(
    "names a code that nobody has declared, and where it was raised; a configured row declares it",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { drift, file } = yield* scene("ORCH_FORMERLY")
        assert.deepStrictEqual((yield* drift()).out, [
          `MODEL-DRIFT: code 'ORCH_FORMERLY' was raised in ${file} (3 in events, 1 in jobs, 1 in letters) and no row of the catalogue declares it (packages/core/src/domain/DefaultCatalogue.ts, or the codes of the host that raises it)`
        ])
        const config = `${file}.config.json`
        yield* fs.writeFileString(config, '{"codes":{"ORCH_FORMERLY":{"severity":"warning"}}}')
        assert.match((yield* drift("--config", config)).out.join("\n"), /^No drift/)
      })
  )

  it.effect("a configuration says what a start makes of it, in one of three words", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { folder, type } = yield* storeFolder
      const config = `${folder}/muster.config.json`
      const facet = {
        key: "mood",
        genre: "capacity",
        status: "built",
        policy: { path: "mood.md", anchor: "" }
      }
      for (const [said, exitCode] of [
        ["block", 0],
        ["loudly", exit.config]
      ] as const) {
        yield* fs.writeFileString(config, JSON.stringify({ drift: said, declares: [facet] }))
        const checked = yield* type(["config", "check", "--config", config])
        assert.strictEqual(checked.exitCode, exitCode, checked.err)
        if (exitCode !== 0) assert.include(checked.err + checked.out.join(), '"off" or "audit" or "block"')
      }
    })
  )

  it.effect("needs a store, and changes nothing in it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { file, type } = yield* storeFolder
      const { err, exitCode } = yield* type(["model", "drift"])
      assert.strictEqual(exitCode, exit.notFound)
      assert.include(err, "ORCH_STORE_MISSING")
      assert.isFalse(yield* fs.exists(file))
    })
  )
})
