// What a configuration may say: every problem is found, each with its place, what was expected there and what was found.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Workflow } from "@muster/core"
import { Effect, Result, Schema } from "effect"
import * as ConfigSchema from "../../src/config/ConfigSchema.ts"
import { type Configuration, configurationOf } from "../../src/config/Configuration.ts"
import { fleetOptionsOf } from "../../src/config/ConfiguredFleet.ts"
import { problemText } from "../../src/config/Problems.ts"
import { type Origin, settingsOf } from "../../src/config/Settings.ts"

/** All that is wrong with a value, as people read it. */
const problems = (value: unknown): ReadonlyArray<string> => {
  const checked = configurationOf(value)
  return Result.isSuccess(checked) ? [] : checked.failure.map(problemText)
}

const valid = (value: unknown): Configuration => {
  const checked = configurationOf(value)
  if (Result.isSuccess(checked)) return checked.success
  throw new Error(checked.failure.map(problemText).join("\n"))
}

describe("a configuration", () => {
  it.each([
    [{ slots: "four" }, 'slots: expected an integer from 1 to 10000, got "four"'],
    [{ slots: Number.NaN }, "slots: expected an integer from 1 to 10000, got NaN"],
    [{ slots: 0 }, "slots: expected an integer from 1 to 10000, got 0"],
    [{ slot: 3 }, "slot: it is no setting; did you mean slots?"],
    [{ store: ":memory:" }, 'store: expected the path of a file, not a database in memory, got ":memory:"'],
    [
      { workflows: { review: { command: ["a"], silence: "5 q" } } },
      'workflows.review.silence: expected a length of time above 0, as in "30s", "5m" or milliseconds, got "5 q"'
    ],
    [
      { workflows: { review: { command: [] } } },
      'workflows.review.command: expected a program and its arguments as a list of texts, as in ["node", "agent.mjs"], got []'
    ],
    [{ workflows: { review: {} } }, "workflows.review.command: it is missing"],
    [
      { workflows: { review: 5 } },
      "workflows.review: expected a process { command }, a function { run }, Workflow.make or () => import(…), got 5"
    ],
    [
      { workflows: { "a b": { command: ["a"], deadlines: { work: -1 } } } },
      'workflows["a b"].deadlines.work: expected a length of time above 0, as in "30s", "5m" or milliseconds, got -1'
    ],
    [
      { workflows: { review: { command: ["a"], gates: ["tests"] } }, gates: { lint: { command: ["b"] } } },
      'workflows.review.gates[0]: expected the name of a gate, got "tests"; known: lint'
    ],
    [
      { workflows: { review: { command: ["a"], workspace: "worktree" } } },
      'workflows.review.workspace: expected "none", "directory" or the name of a plugin\'s, got "worktree"'
    ],
    [{ codes: { EXT: {} } }, "codes.EXT: expected an error code, a prefix like EXT_*, or *, as the key"],
    [
      { plugins: [{ name: "a" }] },
      'plugins[0]: expected a plugin with name, version and make, got {"name":"a"}'
    ],
    [
      { defaults: { lander: "moon" } },
      'defaults.lander: expected "keep" or the name of a plugin\'s, got "moon"'
    ],
    [
      { workflows: { a: { command: ["x"], breaker: { failures: 20 } } } },
      "workflows.a.breaker.failures: expected at most breaker.attempts, which is 10, got 20"
    ],
    [
      { defaults: { breaker: { failures: 3, attempts: 2 } } },
      "defaults.breaker.failures: expected at most breaker.attempts, which is 2, got 3"
    ],
    ["nothing", 'expected an object, got "nothing"']
  ] as const)("%j is refused: %s", (value, said) => {
    assert.deepStrictEqual(problems(value), [said])
  })

  it("is told everything that is wrong with it at once", () => {
    const value = {
      slots: "four",
      workflows: { a: { command: "x", stdin: "no" }, b: 1 },
      codes: { DQ_X: { maxAttempts: 0 } }
    }
    assert.deepStrictEqual(
      problems(value).map((line) => line.split(":")[0]),
      ["slots", "workflows.a.command", "workflows.a.stdin", "workflows.b", "codes.DQ_X.maxAttempts"]
    )
  })

  it("takes a made workflow under its own name only", () => {
    const review = Workflow.make("review", {
      payload: Schema.Unknown,
      result: Schema.Unknown,
      run: () => Effect.void
    })
    assert.deepStrictEqual(problems({ workflows: { review } }), [])
    assert.deepStrictEqual(problems({ workflows: { other: review } }), [
      `workflows.other: expected the workflow's own name, "review", as its key`
    ])
  })

  it("leaves the names that plugins may bring to the start", () => {
    const plugins = [{ name: "git", version: "1.0.0", make: Effect.succeed({}) }]
    const workflows = { review: { command: ["a"], workspace: "worktree", gates: ["tests"] } }
    assert.deepStrictEqual(problems({ plugins, workflows }), [])
  })

  it("can say nothing that its guide doesn't tell", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../../docs/configuration.md"), "utf8")
    // `retention.jobs` tells of `retention`
    const isTold = (name: string) => new RegExp(`\`${name}[\`.]`).test(guide)
    const fields = [ConfigSchema.FleetConfig.fields, ConfigSchema.ProcessWorkflow.fields].flatMap(Object.keys)
    assert.deepStrictEqual(
      fields.filter((name) => !isTold(name)),
      ["workflows"]
    )
  })

  it("hands its floors on to the host (R13)", () => {
    const optionsOf = (value: object) =>
      fleetOptionsOf({
        file: { path: "/folder/muster.config.json", by: "folder" },
        name: "muster.config.json",
        folder: "/folder",
        configuration: valid({ ...value, workflows: { review: { command: ["a"] } } })
      })
    assert.deepStrictEqual(optionsOf({ floors: { disk: 5, memory: 6 } }).floors, { disk: 5, memory: 6 })
    assert.notProperty(optionsOf({}), "floors")
    assert.deepStrictEqual(problems({ floors: { disk: -1 } }), [
      "floors.disk: expected an integer of at least 0, got -1"
    ])
  })

  it("tells apart what it says, what its defaults say, and what nobody says", () => {
    const configuration = valid({
      defaults: { silence: "1m", breaker: { failures: 2 } },
      workflows: { review: { command: ["a"], maxRetries: 1, env: { API_TOKEN: "secret" } } }
    })
    const settings = settingsOf(configuration, "muster.config.ts", "/folder")
    const at = (path: string) => {
      const found = settings.find((one) => one.path === path)
      return { value: found?.value, from: found?.from }
    }
    const file: Origin = { kind: "file", name: "muster.config.ts" }
    const byDefault: Origin = { kind: "default", name: null }
    assert.deepStrictEqual(at("workflows.review.silence"), { value: 60_000, from: file })
    assert.deepStrictEqual(at("workflows.review.breaker.failures"), { value: 2, from: file })
    assert.deepStrictEqual(at("workflows.review.breaker.attempts"), { value: 10, from: byDefault })
    assert.deepStrictEqual(at("workflows.review.maxRetries"), { value: 1, from: file })
    assert.deepStrictEqual(at("slots"), { value: 4, from: byDefault })
    assert.deepStrictEqual(at("workspaces.root"), { value: "/folder/.muster/workspaces", from: byDefault })
    assert.deepStrictEqual(at("floors.disk"), { value: null, from: byDefault })
    // the value of a variable may be a secret
    assert.notInclude(JSON.stringify(settings), "secret")
  })
})
