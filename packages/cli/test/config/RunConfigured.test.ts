// Runs by a configuration: who wins, and what the workflows' policies do. Real processes, output in memory.
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runWorld, scene, summaryOf } from "../run/RunScene.ts"

/** Writes one line for each attempt, and fails in a way that may pass. */
const failing = (effects: string) => ["sh", "-c", `echo tried >> "${effects}"; exit 75`]

const configured = Effect.gen(function* () {
  const here = yield* scene
  const file = join(here.folder, "muster.config.json")
  return {
    ...here,
    configure: (config: object): void => writeFileSync(file, JSON.stringify(config)),
    work: (words: ReadonlyArray<string>) => here.type(["run", "--config", file, ...words])
  }
})

describe("muster run, by a configuration", () => {
  it.live("takes retries from the workflow, else from the defaults, and from a flag before both", () =>
    Effect.gen(function* () {
      const { configure, effects, happened, jobs, work } = yield* configured
      const codes = { "EXT_*": { backoffBaseSeconds: 0.001 } }
      const command = failing(effects)
      configure({ codes, defaults: { maxRetries: 2 }, workflows: { fails: { command } } })
      const file = jobs({ n: 1 })
      assert.strictEqual((yield* work([file])).exitCode, 3)
      assert.lengthOf(happened(), 3)
      configure({ codes, defaults: { maxRetries: 2 }, workflows: { fails: { command, maxRetries: 1 } } })
      yield* work([file, "--fresh"])
      assert.lengthOf(happened(), 3 + 2)
      yield* work([file, "--fresh", "--max-retries", "0"])
      assert.lengthOf(happened(), 3 + 2 + 1)
    }).pipe(Effect.provide(runWorld))
  )

  it.live("holds results against the gates, and gives each job a folder of its own", () =>
    Effect.gen(function* () {
      const { configure, folder, jobs, work } = yield* configured
      configure({
        workspaces: { root: "places", keep: "always" },
        workflows: {
          writes: {
            command: ["sh", "-c", "echo {n} > made; echo done"],
            workspace: "directory",
            gates: ["made"],
            maxRetries: 0
          }
        },
        gates: { made: { command: ["grep", "-q", "1", "made"] } }
      })
      const { exitCode, out } = yield* work([jobs({ n: 1 }, { n: 2 }), "--json"])
      assert.strictEqual(exitCode, 3)
      assert.deepInclude(summaryOf(out), { completed: 1, dead_lettered: 1 })
      assert.match(out.join("\n"), /ORCH_GATE_REJECTED/)
      assert.lengthOf(readdirSync(join(folder, "places")), 2)
    }).pipe(Effect.provide(runWorld))
  )

  it.live("runs a command after -- by the configuration's defaults, as a workflow of its own", () =>
    Effect.gen(function* () {
      const { configure, effects, happened, jobs, work } = yield* configured
      configure({
        codes: { "EXT_*": { backoffBaseSeconds: 0.001 } },
        defaults: { maxRetries: 1 },
        workflows: { other: { command: ["true"] } }
      })
      const { exitCode, out } = yield* work([jobs({ n: 1 }), "--json", "--", ...failing(effects)])
      assert.strictEqual(exitCode, 3)
      assert.lengthOf(happened(), 2)
      assert.match(JSON.stringify(summaryOf(out)["workflow_types"]), /^\["sh-/)
    }).pipe(Effect.provide(runWorld))
  )
})
