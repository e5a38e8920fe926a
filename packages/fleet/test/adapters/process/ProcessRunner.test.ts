// What goes into an agent's process, and what its end means. Real processes.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { errorOf, run, sh } from "./Processes.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "muster-process-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const result = (value: unknown): string => `echo '${JSON.stringify({ type: "result", result: value })}'`
const error = (members: object): string => `echo '${JSON.stringify({ type: "error", ...members })}'`

describe("an agent's input", () => {
  it.live("is its argv with placeholders filled, and no shell reads it", () =>
    Effect.gen(function* () {
      const { exit } = yield* run(["printf", "%s|", "{payload.path}", "{n}", "{{n}"], {
        path: "$(id); `id` 'x' > y",
        n: [1]
      })
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: "$(id); `id` 'x' > y|[1]|{n}|" }))
    })
  )

  it.live(
    "fails permanently, before anything is started, where the payload lacks what the command asks for (R33)",
    () =>
      Effect.gen(function* () {
        const failed = errorOf(yield* run(["touch", "{payload.hosts[0].name}"], { hosts: [] }))
        assert.strictEqual(failed.code, "CONTRACT_PAYLOAD_TYPE_MISMATCH")
        assert.include(failed.message, '["hosts"][0]["name"]')
      })
  )

  it.live("has the payload as one JSON document on standard input, closed after it (R32)", () =>
    Effect.gen(function* () {
      const { exit } = yield* run(["cat"], { text: "é\n", list: [1] })
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: '{"text":"é\\n","list":[1]}\n' }))
    })
  )

  it.live("stays open after the payload's line in the mode `lines` (R32)", () =>
    Effect.gen(function* () {
      // An input that is closed would end the second read at once, with an exit of its own.
      const script = `read -r payload; echo "$payload"; { sleep 0.2; kill $$; } & read -r more; exit 9`
      const { exit, lines } = yield* sh(script, { a: 1 }, { stdin: "lines" })
      assert.deepStrictEqual(lines, ['{"a":1}'])
      assert.strictEqual(errorOf({ exit, lines, events: [] }).code, "ORCH_RETRYABLE_AGENT_CRASHED")
    })
  )

  it.live("may be large and never read", () =>
    Effect.gen(function* () {
      const large = { text: "x".repeat(1_048_000) }
      assert.deepStrictEqual(
        (yield* sh("exec <&-; echo done", large)).exit,
        Exit.succeed({ stdout: "done\n" })
      )
      assert.deepStrictEqual((yield* run(["true"], large)).exit, Exit.succeed({ stdout: "" }))
      const { exit } = yield* sh("wc -c", large)
      assert.match(JSON.stringify(exit), /"stdout":"\s*1048012/)
    })
  )

  it.live("is in the environment, over what the host and the runner give", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { exit } = yield* sh(
        `printf '%s\\n' "$MUSTER_JOB_ID" "$MUSTER_IDEMPOTENCY_KEY" "$MUSTER_ATTEMPT" "$MUSTER_INCARNATION" "$MUSTER_WORKSPACE" "$MUSTER_TOKEN" "$TRACEPARENT" "$MUSTER_FEEDBACK" "$EXTRA" "\${PATH:+inherited}" "$(pwd -P)"`,
        {},
        { env: { EXTRA: "more", MUSTER_JOB_ID: "not this" } },
        {
          jobId: "job_7",
          idempotencyKey: "key-7",
          attempt: 2,
          incarnation: 3,
          workspace: { ref: path, path },
          token: "s:h:9",
          traceContext: "00-aa-bb-01",
          feedback: ["too long", 'say "why"']
        }
      )
      const expected = [
        "job_7",
        "key-7",
        "2",
        "3",
        path,
        "s:h:9",
        "00-aa-bb-01",
        '["too long","say \\"why\\""]',
        "more",
        "inherited",
        path
      ]
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: `${expected.join("\n")}\n` }))
    })
  )

  it.live("has nothing of a fleet around the host, and no variable that is empty", () =>
    Effect.gen(function* () {
      const outer = { MUSTER_WORKSPACE: "/outer", TRACEPARENT: "outer", MUSTER_FEEDBACK: "outer" }
      const { exit } = yield* sh(
        "env | grep -c -E '^(MUSTER_WORKSPACE|TRACEPARENT|MUSTER_FEEDBACK)=' || true",
        {},
        { env: outer }
      )
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: "0\n" }))
    })
  )

  it.live("bounds the feedback, which the system would refuse", () =>
    Effect.gen(function* () {
      const feedback = Array.from({ length: 500 }, () => "x".repeat(1_024))
      const { exit } = yield* sh(`printf '%s' "$MUSTER_FEEDBACK" | tail -c 2`, {}, {}, { feedback })
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: '"]' }))
    })
  )

  it.live("finds a relative program from where the command was written down, not from the workspace", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const workspace = join(home, "workspace")
      mkdirSync(workspace)
      writeFileSync(join(home, "agent"), "#!/bin/sh\npwd -P\n", { mode: 0o700 })
      const changes = { workspace: { ref: workspace, path: workspace } }
      const { exit } = yield* run(["./agent"], {}, { cwd: home }, changes)
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: `${workspace}\n` }))
    })
  )
})

describe("an agent's result", () => {
  it.live("is the value of the last result line (R32)", () =>
    Effect.gen(function* () {
      const { exit, lines } = yield* sh(`${result(1)}; echo between; ${result({ n: [2, null] })}; echo after`)
      assert.deepStrictEqual(exit, Exit.succeed({ n: [2, null] }))
      assert.deepStrictEqual(lines, ["between", "after"])
    })
  )

  it.live("may come without a line break, and be null", () =>
    Effect.gen(function* () {
      const { exit } = yield* sh(`printf '{"type":"result","result":null}'`)
      assert.deepStrictEqual(exit, Exit.succeed(null))
    })
  )

  it.live("may be far longer than a line, up to the limit of results", () =>
    Effect.gen(function* () {
      const script = (size: number) =>
        `printf '{"type":"result","result":"'; head -c ${size} /dev/zero | tr '\\0' x; echo '"}'`
      assert.deepStrictEqual((yield* sh(script(1_000_000))).exit, Exit.succeed("x".repeat(1_000_000)))
      assert.strictEqual(errorOf(yield* sh(script(1_100_000))).code, "CONTRACT_RESULT_TOO_LARGE")
    })
  )

  it.live("is the end of standard output where no result line came (R32)", () =>
    Effect.gen(function* () {
      const { exit } = yield* sh("seq 20000; echo unheard >&2")
      const whole = Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join("")
      assert.deepStrictEqual(exit, Exit.succeed({ stdout: whole.slice(-65_536) }))
    })
  )

  it.live("is missing where the workflow asks for a line and none came", () =>
    Effect.gen(function* () {
      const options = { requireResult: true }
      assert.strictEqual(errorOf(yield* sh("echo text", {}, options)).code, "ORCH_EMPTY_RESULT")
      assert.deepStrictEqual((yield* sh(result(5), {}, options)).exit, Exit.succeed(5))
    })
  )

  it.live("doesn't count when the exit says otherwise (R32)", () =>
    Effect.gen(function* () {
      assert.strictEqual(errorOf(yield* sh(`${result(1)}; exit 1`)).code, "EXT_PROCESS_FAILED")
    })
  )
})

describe("an agent's error line", () => {
  it.live("keeps its code, message and hint, and beats a good exit, a bad one and a result (R32)", () =>
    Effect.gen(function* () {
      const line = error({ code: "EXT_RATE_LIMIT", message: "slow down", retry_after_seconds: 30 })
      for (const script of [line, `${line}; exit 64`, `${result(1)}; ${line}; ${result(2)}`]) {
        const failed = errorOf(yield* sh(script))
        assert.strictEqual(failed.code, "EXT_RATE_LIMIT")
        assert.strictEqual(failed.message, "slow down")
        assert.propertyVal(failed.error, "retryAfterMillis", 30_000)
      }
    })
  )

  it.live("with a code that is none fails as a process does, with a note", () =>
    Effect.gen(function* () {
      const failed = errorOf(yield* sh(error({ code: "oops", message: "it broke" })))
      assert.strictEqual(failed.code, "EXT_PROCESS_FAILED")
      assert.match(failed.message, /"oops": it broke/)
    })
  )
})

describe("an agent's exit", () => {
  for (const [exit, code] of [
    [1, "EXT_PROCESS_FAILED"],
    [2, "EXT_PROCESS_FAILED"],
    [64, "CONTRACT_COMMAND_USAGE"],
    [65, "DQ_COMMAND_DATA"],
    [66, "EXT_PROCESS_FAILED"],
    [69, "EXT_COMMAND_UNAVAILABLE"],
    [70, "ORCH_RETRYABLE_AGENT_CRASHED"],
    [75, "EXT_COMMAND_UNAVAILABLE"],
    [78, "CONTRACT_COMMAND_USAGE"],
    [126, "EXT_PROCESS_FAILED"],
    [127, "CONTRACT_COMMAND_NOT_FOUND"],
    [137, "EXT_PROCESS_FAILED"],
    [255, "EXT_PROCESS_FAILED"]
  ] as const)
    it.live(`${exit} is ${code} and shows the last lines of standard error (R32)`, () =>
      Effect.gen(function* () {
        const failed = errorOf(yield* sh(`echo first >&2; echo the reason >&2; exit ${exit}`))
        assert.strictEqual(failed.code, code)
        assert.include(failed.message, "the reason")
      })
    )

  it.live("by a signal is a crash that names the signal", () =>
    Effect.gen(function* () {
      for (const signal of ["KILL", "SEGV", "TERM"]) {
        const failed = errorOf(yield* sh(`kill -${signal} $$`))
        assert.strictEqual(failed.code, "ORCH_RETRYABLE_AGENT_CRASHED")
        assert.include(failed.message, `SIG${signal}`)
      }
    })
  )

  it.live("shows no more than a reason's length of standard error, from the start of a line", () =>
    Effect.gen(function* () {
      const failed = errorOf(yield* sh("seq 10000 >&2; exit 1"))
      assert.isAtMost(Buffer.byteLength(failed.message), 1_024)
      assert.match(failed.message, /: 98\d\d\n98\d\d\n/)
      assert.match(failed.message, /\n10000$/)
    })
  )
})

describe("a command that can't be started", () => {
  it.live("is permanent and says so in one line when the program is missing", () =>
    Effect.gen(function* () {
      const failed = errorOf(yield* run(["no-such-program", "secret-argument"]))
      assert.strictEqual(failed.code, "CONTRACT_COMMAND_NOT_FOUND")
      assert.include(failed.message, "no-such-program")
      assert.notInclude(failed.message, "\n")
      assert.notInclude(failed.message, "secret-argument")
      assert.strictEqual(errorOf(yield* run([])).code, "CONTRACT_COMMAND_NOT_FOUND")
    })
  )

  it.live("is permanent when the program is no program", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "data")
      writeFileSync(path, "x", { mode: 0o600 })
      const failed = errorOf(yield* run([path]))
      assert.strictEqual(failed.code, "CONTRACT_COMMAND_NOT_FOUND")
      assert.include(failed.message, "EACCES")
    })
  )

  it.live("is a wrong call when its arguments are larger than the system allows", () =>
    Effect.gen(function* () {
      const failed = errorOf(yield* run(["echo", "{text}"], { text: "x".repeat(1_000_000) }))
      assert.strictEqual(failed.code, "CONTRACT_COMMAND_USAGE")
      assert.include(failed.message, "standard input")
    })
  )

  it.live("is not blamed for a workspace that is gone", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "gone")
      const lost = errorOf(yield* run(["true"], {}, {}, { workspace: { ref: path, path } }))
      assert.strictEqual(lost.code, "ORCH_RETRYABLE_AGENT_CRASHED")
      assert.include(lost.message, path)
      assert.strictEqual(errorOf(yield* run(["true"], {}, { cwd: path })).code, "CONTRACT_COMMAND_USAGE")
    })
  )
})
