import { assert, layer } from "@effect/vitest"
import { AgentMachine, ErrorCatalogue, exit, JobMachine, LoopMachine } from "@muster/core"
import { Effect, FileSystem } from "effect"
import { ioExitCode, usageExitCode } from "../../src/Report.ts"
import { document, type, world } from "../CommandLine.ts"

layer(world)("commands that teach", (it) => {
  it.effect("policy has a row for every row of the catalogue, with the waits that will be", () =>
    Effect.gen(function* () {
      const catalogue = yield* ErrorCatalogue.compile()
      const rows = (yield* type(["policy", "--json"])).out.map((line) => document("muster policy", line))
      assert.deepStrictEqual(
        rows.map(({ code }) => code),
        catalogue.entries.map(({ policy }) => policy.code)
      )
      const ext = rows.find(({ code }) => code === "EXT_*")
      assert.deepInclude(ext, {
        retryable: true,
        max_attempts: 5,
        delays_seconds: [1, 2, 4, 8],
        exit_code: 69
      })
    })
  )

  it.effect("policy says which row answers for a code", () =>
    Effect.gen(function* () {
      const answer = document("muster policy", (yield* type(["policy", "EXT_ANYTHING", "--json"])).out[0])
      assert.deepInclude(answer, { asked: "EXT_ANYTHING", code: "EXT_*" })
      assert.include((yield* type(["policy", "EXT_ANYTHING"])).out.join("\n"), "the row EXT_*")
      const own = document("muster policy", (yield* type(["policy", "ORCH_EMPTY_RESULT", "--json"])).out[0])
      assert.deepInclude(own, { code: "ORCH_EMPTY_RESULT", delays_seconds: [0.5, 1] })
      assert.include((yield* type(["policy", "EXT_*"])).out.join("\n"), "its own row")
    })
  )

  it.effect("machine prints the tables themselves", () =>
    Effect.gen(function* () {
      const machines = (yield* type(["machine", "--json"])).out.map((line) =>
        document("muster machine", line)
      )
      assert.deepStrictEqual(
        machines.map(({ edges }) => edges),
        [JobMachine.edges, AgentMachine.edges, LoopMachine.edges]
      )
      const text = (yield* type(["machine", "agent"])).out.join("\n")
      for (const { event, reasons } of AgentMachine.edges) {
        assert.include(text, event)
        for (const reason of reasons) assert.include(text, reason)
      }
      const diagram = (yield* type(["machine", "job", "--mermaid"])).out
      assert.strictEqual(diagram[0], "stateDiagram-v2")
    })
  )

  it.effect.each([["policy"], ["machine"], ["--help"], ["run", "--help"], ["submit", "--help"]] as const)(
    "%s fits 80 columns",
    ([...args]) =>
      Effect.gen(function* () {
        const { exitCode, out } = yield* type(args)
        assert.strictEqual(exitCode, 0)
        for (const line of out) assert.isAtMost(line.length, 80, line)
      })
  )

  it.effect("help is told for the word as for the flag", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* type(["help", "dlq", "list"]), yield* type(["dlq", "list", "--help"]))
      assert.deepStrictEqual(yield* type(["help"]), yield* type([]))
      assert.deepStrictEqual(yield* type(["help", "show", "1"]), yield* type(["show", "--help"]))
    })
  )

  it.effect(
    "init writes a configuration, an agent and jobs for the folder at hand, and overwrites nothing",
    () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const home = process.cwd()
        yield* Effect.acquireRelease(
          Effect.sync(() => process.chdir(folder)),
          () => Effect.sync(() => process.chdir(home))
        )
        yield* fs.writeFileString("notes.txt", "one\ntwo\n")
        const answer = document("muster init", (yield* type(["init", "--json"])).out[0])
        assert.deepStrictEqual(answer["files"], ["muster.config.ts", "agent.mjs", "jobs.jsonl"])
        assert.match(String(answer["command"]), /run jobs\.jsonl$/)
        assert.strictEqual(yield* fs.readFileString("jobs.jsonl"), '{"path":"notes.txt"}\n')
        yield* fs.remove("muster.config.ts")
        yield* fs.writeFileString("agent.mjs", "mine")
        const again = yield* type(["init"])
        assert.strictEqual(again.exitCode, 2)
        assert.include(again.err, "agent.mjs, jobs.jsonl are there already; nothing was written")
        assert.strictEqual(yield* fs.readFileString("agent.mjs"), "mine")
        assert.isFalse(yield* fs.exists("muster.config.ts"))
      }).pipe(Effect.scoped)
  )
})

layer(world)("a wrong command line", (it) => {
  it.effect.each([
    [["statu"], "Did you mean status?"],
    [["help", "statu"], "Did you mean status?"],
    [["help", "dlq", "nonsense"], 'Unknown subcommand "nonsense"'],
    [["policy", "nonsense"], '"nonsense" is no error code'],
    [["jobs", "--limit", "many"], "--limit"],
    [["jobs", "--limit", "0"], "Expected 1 or more, not 0"],
    [["events", "--after", "-1"], "Expected 0 or more, not -1"],
    [["show"], "JOB"],
    [["show", "1", "2"], '"2"'],
    [["machine", "fleet"], "fleet"],
    [["submit", "--colour"], "--colour"]
  ] as const)(
    "%j ends with 2, says what is wrong on standard error, and nothing on standard output",
    ([args, said]) =>
      Effect.gen(function* () {
        const { err, exitCode, out } = yield* type(args)
        assert.strictEqual(exitCode, 2)
        assert.deepStrictEqual(out, [])
        assert.include(err, said)
        assert.isAtMost(err.split("\n").length, 2)
      })
  )

  it.effect("is told as one document with --json, wherever that stands", () =>
    Effect.gen(function* () {
      for (const args of [
        ["--json", "show"],
        ["show", "--json"]
      ]) {
        assert.deepInclude(document("Failures", (yield* type(args)).err), { code: "usage", exit_code: 2 })
      }
    })
  )

  it.effect.each([
    "show --json 1",
    "explain --json 0",
    "logs --follow 1",
    "logs -f no",
    "settle --done 1",
    "dlq show --json 1"
  ])("%s: a job's number after a switch is the job", (line) =>
    Effect.gen(function* () {
      const { err, exitCode } = yield* type([...line.split(" "), "--store", "/nowhere/at-all.db"])
      assert.match(err, /ORCH_STORE_MISSING/)
      assert.strictEqual(exitCode, exit.notFound)
    })
  )

  it.effect("is told what was expected in plain words", () =>
    Effect.gen(function* () {
      assert.match((yield* type(["events", "--limit", "few"])).err, /Expected a number\./)
      assert.match((yield* type(["events", "--limit", "1.5"])).err, /Expected a whole number\./)
    })
  )

  it.effect("ends with the number that core's table has for it", () =>
    Effect.sync(() => {
      assert.strictEqual(usageExitCode, exit.usage)
      assert.strictEqual(ioExitCode, exit.io)
    })
  )
})
