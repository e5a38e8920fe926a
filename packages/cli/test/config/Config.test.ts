// Commands in a folder with a configuration, each a process of its own: Node.js runs the TypeScript itself.
import { assert, describe, it } from "vitest"
import { document } from "../CommandLine.ts"
import { inFolder, type Scene } from "../run/MusterProcess.ts"

const fleet = (body: string): string =>
  `import { defineFleet } from "@muster/cli/config"\nexport default defineFleet(${body})\n`

const ok = async (scene: Scene, args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
  const said = await scene.startWith(env, args).ended
  assert.strictEqual(said.code, 0, said.err)
  return said.out
}

/** A busy machine takes its time to start processes. */
const patience = 60_000

describe("a folder with a configuration", () => {
  it(
    "is made by init, is found valid, and runs",
    () =>
      inFolder(async (scene) => {
        await ok(scene, ["init"])
        assert.match(await ok(scene, ["config", "check"]), /^muster\.config\.ts is valid: workflows count$/m)
        const lines = (await ok(scene, ["run", "jobs.jsonl", "--json"])).trim().split("\n")
        const summary: unknown = JSON.parse(lines.at(-1) ?? "")
        assert.deepInclude(summary, { workflow_types: ["count"], completed: 1, exit_code: 0 })
      }),
    patience
  )

  it(
    "runs processes and functions of this process, Effect's and async ones, and modules of their own",
    () =>
      inFolder(async (scene) => {
        // as npm init writes it: TypeScript is modules all the same
        scene.put("package.json", '{"type":"commonjs"}')
        scene.put(
          "triple.ts",
          `import { Workflow } from "@muster/core"
import { Effect, Schema } from "effect"
export default Workflow.make("triple", {
  payload: Schema.Struct({ n: Schema.Int }),
  result: Schema.Int,
  run: ({ n }, agent) => agent.once("write", () => Effect.succeed(n * 3))
})\n`
        )
        scene.put(
          "muster.config.ts",
          fleet(`{
  store: "data/fleet.db",
  defaults: { maxRetries: 0 },
  workflows: {
    say: { command: ["echo", "{n}"], gates: ["fine"], workspace: "directory" },
    double: { run: async ({ n }: { n: number }) => n * 2 },
    triple: () => import("./triple.ts")
  },
  gates: { fine: { command: ["true"] } }
}`)
        )
        scene.put(
          "jobs.jsonl",
          ["say", "double", "triple"]
            .map((name) => JSON.stringify({ workflow_type: name, payload: { n: 2 } }))
            .join("\n")
        )
        const out = await ok(scene, ["run", "jobs.jsonl"])
        assert.match(out, /COMPLETED +2$/m)
        assert.match(out, /COMPLETED +4$/m)
        assert.match(out, /COMPLETED +6$/m)
        // the store is where the configuration says, for every command
        const status = document("muster status", await ok(scene, ["status", "--json"]))
        assert.deepInclude(status["store"], { path: "data/fleet.db" })
        // lines of one workflow need not name it
        scene.put("more.jsonl", '{"n":5}\n')
        assert.match(await ok(scene, ["run", "more.jsonl", "-w", "double"]), /COMPLETED +10$/m)
        const unnamed = await scene.start("run", "more.jsonl").ended
        assert.strictEqual(unnamed.code, 65)
        assert.include(unnamed.err, "more.jsonl:1: it names no workflow_type")
        const unknown = await scene.start("run", "more.jsonl", "-w", "nobody").ended
        assert.strictEqual(unknown.code, 2)
        assert.include(unknown.err, "It has say, double, triple.")
      }),
    patience
  )

  it(
    "says where each value comes from: flag, environment, file, default",
    () =>
      inFolder(async (scene) => {
        scene.put("muster.config.ts", fleet(`{ store: "from-file.db", slots: 2, otlp: "http://here:1" }`))
        const settings = async (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
          const shown = document(
            "muster config show",
            await ok(scene, ["config", "show", "--json", ...args], env)
          )
          // the document's schema has just said so
          const list = shown["settings"] as ReadonlyArray<{ readonly path: string }>
          return (path: string): unknown => list.find((one) => one.path === path)
        }
        const plain = await settings([])
        const file = { kind: "file", name: "muster.config.ts" }
        assert.deepStrictEqual(plain("store"), { path: "store", value: "from-file.db", from: file })
        assert.deepStrictEqual(plain("slots"), { path: "slots", value: 2, from: file })
        const byDefault = { kind: "default", name: null }
        assert.deepStrictEqual(plain("drain"), { path: "drain", value: 0, from: byDefault })
        assert.deepStrictEqual(plain("otlp"), { path: "otlp", value: "http://here:1", from: file })
        const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://there:2" }
        const env = await settings([], { MUSTER_STORE: "env.db", ...endpoint })
        const name = "OTEL_EXPORTER_OTLP_ENDPOINT"
        const otlp = { path: "otlp", value: "http://there:2", from: { kind: "environment", name } }
        assert.deepStrictEqual(env("otlp"), otlp)
        const variable = { kind: "environment", name: "MUSTER_STORE" }
        assert.deepStrictEqual(env("store"), { path: "store", value: "env.db", from: variable })
        const flag = await settings(["--store", "flag.db"], { MUSTER_STORE: "env.db" })
        const given = { kind: "flag", name: "--store" }
        assert.deepStrictEqual(flag("store"), { path: "store", value: "flag.db", from: given })
      }),
    patience
  )

  it(
    "that is wrong is told as a whole by check, and by its first problem where it is needed",
    () =>
      inFolder(async (scene) => {
        scene.put(
          "muster.config.ts",
          fleet(`{ slots: "four" as never, otlp: "here:4318", lease: { lease: "2s", renewal: 0 as never } }`)
        )
        const check = await scene.start("config", "check").ended
        assert.strictEqual(check.code, 78)
        assert.strictEqual(check.out, "")
        assert.match(
          check.err,
          /^muster\.config\.ts: slots: expected an integer from 1 to 10000, got "four"$/m
        )
        assert.match(check.err, /^muster\.config\.ts: otlp: expected the URL of a collector/m)
        assert.match(check.err, /^muster\.config\.ts: lease\.renewal: expected a length of time above 0/m)
        const json = await scene.start("config", "check", "--json").ended
        const { problems, valid } = document("muster config check", json.out)
        assert.strictEqual(valid, false)
        assert.strictEqual(Array.isArray(problems) && problems.length, 3)
        const status = await scene.start("status", "--json").ended
        assert.strictEqual(status.code, 78)
        const failure = document("Failures", status.err)
        assert.strictEqual(failure["code"], "ORCH_CONFIG_INVALID")
        assert.match(String(failure["message"]), /muster\.config\.ts: slots: .*2 more: muster config check/)
        // what needs no store and no fleet goes on
        await ok(scene, ["machine", "job"])
        await ok(scene, ["status", "--help"])
      }),
    patience
  )

  it(
    "gives submitted jobs the retries of their workflow, and codes their answers, as JSON too",
    () =>
      inFolder(async (scene) => {
        const config = {
          defaults: { maxRetries: 1 },
          workflows: { a: { command: ["x"] }, b: { command: ["x"], maxRetries: 7 } },
          codes: { "EXT_*": { maxAttempts: 2 } }
        }
        scene.put("muster.config.json", JSON.stringify(config))
        await ok(scene, ["submit", "-w", "a", "{}"])
        await ok(scene, ["submit", "-w", "b", "{}"])
        await ok(scene, ["submit", "-w", "c", "{}"])
        const jobs = (await ok(scene, ["jobs", "--json"])).trim().split("\n")
        assert.deepStrictEqual(
          Object.fromEntries(
            jobs.map((line) => {
              const { max_retries: retries, workflow_type: name } = document("muster jobs", line)
              return [String(name), retries]
            })
          ),
          { a: 1, b: 7, c: 4 }
        )
        const policy = document("muster policy", await ok(scene, ["policy", "EXT_BUSY", "--json"]))
        assert.deepInclude(policy, { code: "EXT_*", max_attempts: 2 })
      }),
    patience
  )

  it.each([
    [
      "enum A { B }\nexport default {}",
      /Node\.js runs TypeScript by leaving its types out.*enum.*\(line 1\)/
    ],
    ["export default { a: ", /it is not TypeScript/],
    ['import "nope"\nexport default {}', /an import can't be found: .*nope/],
    ['throw new Error("mine")', /it failed while it was loaded: mine \(line 1\)/],
    ["export const a = 1", /it has no default export/]
  ])(
    "%j is refused with its reason",
    (text, said) =>
      inFolder(async (scene) => {
        scene.put("muster.config.ts", text)
        const { code, err } = await scene.start("config", "check").ended
        assert.strictEqual(code, 78)
        assert.match(err, said)
      }),
    patience
  )
})
